// The style and the script of the subscription page. They are constants, so that the page's policy can contain their hashes.

export const STYLE = `
:root { color-scheme: light dark; --ground: #f4f5f7; --card: #fff; --line: #dfe2e8; --control: #8a92a1; --text: #16181d; --quiet: #565d6b; --accent: #3451c6;
  --on-accent: #fff; --track: #e3e6ec; --good: #17693f; --good-ground: #e2f4e9; --warn: #7a4b00; --warn-ground: #fdf0d5; --bad: #a3211a; --bad-ground: #fce8e6; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0f1115; --card: #181b21; --line: #2c313b; --control: #6f7786; --text: #e9ebef; --quiet: #a7adba; --accent: #9db1ff; --on-accent: #0c1230;
    --track: #2c313b; --good: #86dcae; --good-ground: #123322; --warn: #f3c46b; --warn-ground: #38290a; --bad: #ffaaa3; --bad-ground: #40130f; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; padding: 24px 16px 40px; background: var(--ground); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
header, main { max-width: 960px; margin: 0 auto; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 12px; margin-bottom: 16px; }
h1 { margin: 0; font-size: 26px; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 0 0 12px; font-size: 17px; }
main { display: grid; gap: 16px; }
@media (min-width: 860px) {
  main { grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); grid-template-rows: auto 1fr; align-items: start; }
  .connect { grid-column: 2; grid-row: 1 / span 2; } main:has(.buy), main:has(.telegram) { grid-template-rows: auto auto 1fr; } main:has(.buy) .connect, main:has(.telegram) .connect { grid-row: 1 / span 3; }
  main:has(.buy):has(.telegram) { grid-template-rows: auto auto auto 1fr; } main:has(.buy):has(.telegram) .connect { grid-row: 1 / span 4; }
  main:has(.wireguard):has(.buy) .connect, main:has(.wireguard):has(.telegram) .connect { grid-row: 1 / span 2; }
  main:has(.wireguard):has(.buy) .wireguard, main:has(.wireguard):has(.telegram) .wireguard { grid-row: 3; }
  main:has(.wireguard):has(.buy):has(.telegram) .connect { grid-row: 1 / span 3; } main:has(.wireguard):has(.buy):has(.telegram) .wireguard { grid-row: 4; }
  .link, .buy, .telegram { grid-column: 1; } .wireguard { grid-column: 2; } }
.card, .notice { background: var(--card); border: 1px solid var(--line); border-radius: 16px; padding: 20px; }
.notice { flex: 1 1 100%; margin: 4px 0 0; padding: 14px 20px; overflow-wrap: anywhere; }
.pill { padding: 3px 12px; border-radius: 99px; font-size: 14px; font-weight: 600; }
.good { background: var(--good-ground); color: var(--good); }
.warn { background: var(--warn-ground); color: var(--warn); border-color: transparent; }
.bad { background: var(--bad-ground); color: var(--bad); border-color: transparent; }
dl { margin: 0; display: grid; gap: 18px; }
dt { color: var(--quiet); font-size: 14px; }
dd { margin: 0; }
.figure { font-size: 22px; font-weight: 650; line-height: 1.3; font-variant-numeric: tabular-nums; }
.quiet { margin: 0; color: var(--quiet); font-size: 14px; }
progress { display: block; width: 100%; height: 10px; margin: 8px 0 6px; border: 0; border-radius: 99px; background: var(--track); overflow: hidden;
  appearance: none; -webkit-appearance: none; }
progress::-webkit-progress-bar { background: var(--track); }
progress::-webkit-progress-value { background: var(--accent); border-radius: 99px; }
progress::-moz-progress-bar { background: var(--accent); border-radius: 99px; }
fieldset { display: flex; flex-wrap: wrap; gap: 8px; margin: 0; padding: 0; border: 0; min-width: 0; }
legend { padding: 16px 0 8px; margin: 0; color: var(--quiet); font-size: 14px; }
fieldset > input { position: absolute; opacity: 0; width: 1px; height: 1px; }
fieldset > label { padding: 8px 14px; min-height: 42px; border: 1px solid var(--line); border-radius: 99px; font-size: 15px; cursor: pointer; }
fieldset > input:checked + label { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
fieldset > input:focus-visible + label, a:focus-visible, button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.apps { display: none; flex: 1 1 100%; margin-top: 4px; }
#s-ios:checked ~ #a-ios, #s-android:checked ~ #a-android, #s-windows:checked ~ #a-windows, #s-macos:checked ~ #a-macos,
  #s-linux:checked ~ #a-linux, #s-tv:checked ~ #a-tv { display: block; }
ul { margin: 8px 0 0; padding: 0; list-style: none; }
li { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 8px; padding: 12px 0; border-top: 1px solid var(--line); }
li:last-child { padding-bottom: 0; }
.name { font-weight: 600; }
.actions { display: flex; gap: 8px; margin-left: auto; }
.button, button { display: inline-flex; align-items: center; justify-content: center; min-height: 44px; padding: 8px 16px; border: 1px solid transparent;
  border-radius: 12px; background: var(--accent); color: var(--on-accent); font: inherit; font-size: 15px; font-weight: 600; text-decoration: none; cursor: pointer; }
.plain { background: transparent; border-color: var(--line); color: var(--text); font-weight: 500; }
button { width: 100%; margin-top: 12px; }
button[hidden] { display: none; }
code { display: block; padding: 12px; border-radius: 12px; background: var(--ground); font: 14px/1.45 ui-monospace, Menlo, Consolas, monospace;
  overflow-wrap: anywhere; -webkit-user-select: all; user-select: all; }
.link .quiet { margin-top: 12px; }
.qr { display: block; width: 100%; max-width: 240px; height: auto; margin: 0 auto 12px; border-radius: 12px; }
.wireguard h2 { margin: 0; } .wireguard details { flex: 1 1 100%; } .wireguard summary { padding: 10px 0; color: var(--accent); font-size: 15px; font-weight: 600; cursor: pointer; } .wireguard .qr { max-width: 300px; margin: 8px auto 0; }
.servers { width: 100%; margin-top: 16px; }
.telegram h2 { margin: 0; } .telegram .quiet { margin-bottom: 12px; } .telegram .button { width: 100%; box-sizing: border-box; }
.telegram form + h2, .telegram a + h2 { margin-top: 20px; }
.buy h2 { margin: 0; } .buy ul + h2, .buy form + form { margin-top: 20px; } .buy li button { width: auto; } .buy .promo { margin: 16px 0 0; } .buy .promo input { margin: 0; } .buy li:last-child { padding-bottom: 0; }
form { margin: 0; } form button { margin: 0; }
body.order .qr { max-width: 320px; } body.order .name { flex: 1; overflow-wrap: anywhere; } body.order header, body.order main { max-width: 560px; } body.order main { grid-template-columns: minmax(0, 1fr); grid-template-rows: none; }
.way { justify-content: space-between; gap: 4px 16px; text-align: start; } .way span { font-weight: 500; } .way b { white-space: nowrap; font-variant-numeric: tabular-nums; }
.order li { border: 0; padding: 0; margin-top: 12px; } .order li form { flex: 1 1 100%; } .order h2 + .quiet { margin-top: -6px; }
.order .ask { margin-top: 20px; padding-top: 20px; border-top: 1px solid var(--line); } .order .ask .quiet { margin-bottom: 12px; }
form label { display: block; margin-bottom: 6px; } form label + input { display: block; width: 100%; min-height: 44px; margin-bottom: 12px; padding: 8px 12px;
  border: 1px solid var(--control); border-radius: 12px; background: var(--card); color: var(--text); font: inherit; } #code { text-transform: uppercase; }
form label + input:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; } .promo button, .ask button { width: 100%; }
p:has(.support) { margin: 16px 0 0; }
.support { color: var(--accent); font-weight: 600; }
`;

/** Shows the copy button, which does not work without a script. */
export const SCRIPT = `
const button = document.getElementById('copy');
const link = document.getElementById('link');
const said = document.getElementById('said');
button.hidden = false;
button.addEventListener('click', async () => {
  try {
    await navigator.clipboard.writeText(link.textContent);
  } catch {
    getSelection().selectAllChildren(link);
    document.execCommand('copy');
  }
  said.textContent = button.dataset.said;
});
`;
