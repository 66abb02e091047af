// The look of the plain pages: quiet greys, one accent, both themes, from 360 px up.

export const STYLE = `
:root{color-scheme:light dark;--bg:#f5f6f8;--surface:#fff;--sunken:#f5f6f8;--line:#e0e3e8;--line-strong:#868e99;--text:#1a1d21;--muted:#59616b;--accent:#3b5bdb;--accent-strong:#364fc7;--on-accent:#fff;--accent-soft:#edf2ff;--red:#c92a2a;--red-soft:#fff5f5;--red-line:#f5c2c2;--green:#226c33;--green-soft:#ebfbee;--green-line:#b9e4c3}
@media(prefers-color-scheme:dark){:root{--bg:#131518;--surface:#1b1e22;--sunken:#131518;--line:#2d3238;--line-strong:#737c87;--text:#e6e8ea;--muted:#9ba4ae;--accent:#91a7ff;--accent-strong:#bac8ff;--on-accent:#131a3a;--accent-soft:#20294a;--red:#ff8787;--red-soft:#2b1719;--red-line:#5c2a2d;--green:#8ce99a;--green-soft:#14261a;--green-line:#2a5235}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;background:var(--bg);color:var(--text);font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;font-variant-numeric:tabular-nums;-webkit-text-size-adjust:100%}
h1,h2,h3,p,ul,dl,dd,fieldset{margin:0;padding:0;border:0}
h1{font-size:20px;line-height:28px;font-weight:600}
h2{font-size:16px;line-height:24px;font-weight:600}
h3{font-size:14px;line-height:20px;font-weight:600;overflow-wrap:anywhere}
ul{list-style:none}
a{color:var(--accent)}
code{font:13px/1.5 ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,monospace}
.muted{color:var(--muted)}
.small{font-size:13px}
.small code{white-space:nowrap}
.mark{width:22px;height:22px;flex:none;color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
header{background:var(--surface);border-bottom:1px solid var(--line)}
.bar{max-width:920px;margin:0 auto;padding:0 24px;min-height:56px;display:flex;align-items:center;gap:10px}
.brand{display:flex;align-items:center;gap:10px;font-weight:600;min-width:0;overflow-wrap:anywhere}
.who{margin-left:auto;display:flex;align-items:center;gap:16px}
.wide{max-width:920px;margin:0 auto;padding:24px 24px 64px;display:grid;gap:24px}
.narrow{max-width:400px;margin:0 auto;padding:12vh 16px 48px;display:grid;gap:24px}
.narrow .brand{justify-content:center;font-size:16px}
.card{background:var(--surface);border:1px solid var(--line);border-radius:10px;padding:24px;display:grid;gap:20px;min-width:0}
.head{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:8px 16px}
.lead{display:grid;gap:4px}
form.fields{display:grid;gap:18px}
.field{display:grid;gap:6px;min-width:0}
label,legend,dt{font-weight:500}
.hint{color:var(--muted);font-size:13px}
input[type=text],input[type=password],select{width:100%;min-height:40px;padding:8px 12px;font:inherit;color:inherit;background:var(--surface);border:1px solid var(--line-strong);border-radius:6px}
select{padding-right:8px}
input[aria-invalid=true]{border-color:var(--red)}
input:focus-visible,select:focus-visible{outline-offset:0;border-color:var(--accent)}
.wrong{color:var(--red);font-size:13px}
button,.button{display:inline-flex;align-items:center;justify-content:center;min-height:40px;padding:8px 16px;font:inherit;font-weight:500;border-radius:6px;border:1px solid transparent;cursor:pointer;text-decoration:none}
.primary{background:var(--accent);color:var(--on-accent)}
.primary:hover{background:var(--accent-strong)}
.plain{background:transparent;color:var(--text);border-color:var(--line-strong)}
.plain:hover{background:var(--sunken)}
.quiet{background:transparent;color:var(--accent);min-height:32px;padding:4px 8px}
.quiet:hover{background:var(--accent-soft)}
.danger{background:transparent;color:var(--red);border-color:currentColor;min-height:36px;max-width:100%;overflow-wrap:anywhere}
.danger:hover{background:var(--red-soft)}
.note{border:1px solid var(--line);border-radius:6px;padding:10px 14px;overflow-wrap:anywhere}
.note.good{background:var(--green-soft);border-color:var(--green-line);color:var(--green)}
.note.bad{background:var(--red-soft);border-color:var(--red-line);color:var(--red)}
.copy{display:block;background:var(--sunken);border:1px solid var(--line);border-radius:6px;padding:10px 14px;overflow-wrap:anywhere;white-space:pre-wrap;user-select:all}
.facts{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:20px 40px}
.facts>div{display:grid;gap:6px;align-content:start;min-width:0}
.figure{font-size:20px;line-height:32px;font-weight:600}
.figure span{font-size:14px;font-weight:400;color:var(--muted);margin-left:4px}
.rows{margin:0 -24px -24px;border-top:1px solid var(--line)}
.rows>li{position:relative;display:grid;grid-template-columns:minmax(0,1fr) auto;column-gap:16px;align-items:center;padding:12px 24px 14px;border-top:1px solid var(--line)}
.rows>li:first-child{border-top:0}
.title{display:flex;flex-wrap:wrap;align-items:center;gap:4px 10px;min-width:0}
.rows .title{min-height:32px}
.rows>li:has(>.ask)>.title{padding-right:96px}
.chip{font-size:12px;line-height:18px;font-weight:500;padding:1px 8px;border-radius:9px;background:var(--sunken);border:1px solid var(--line);color:var(--muted);white-space:nowrap}
.chip.full{background:var(--accent-soft);border-color:transparent;color:var(--accent-strong)}
.meta{grid-column:1/-1;display:flex;flex-wrap:wrap;color:var(--muted);font-size:13px;overflow-wrap:anywhere;margin-left:-18px;clip-path:inset(0 0 0 18px)}
.meta>span{position:relative;padding-left:18px}
.meta>span::before{content:"·";position:absolute;left:7px}
.rows>li>form{grid-column:2;grid-row:1}
.quiet{margin-right:-8px}
details>summary{cursor:pointer;color:var(--accent);font-weight:500;border-radius:6px;list-style:none}
details>summary::-webkit-details-marker{display:none}
.ask{grid-column:1/-1}
.ask>summary{position:absolute;top:12px;right:16px;display:inline-flex;align-items:center;min-height:32px;padding:4px 8px}
.ask>summary:hover{background:var(--accent-soft)}
.ask .body{display:grid;gap:12px;justify-items:start;background:var(--sunken);border:1px solid var(--line);border-radius:6px;padding:14px;margin-top:10px}
.old{margin:0 -24px -24px;border-top:1px solid var(--line)}
.old>summary{padding:14px 24px}
.old .rows{margin:0}
.two{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:18px 24px;align-items:start}
.choices{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:12px}
.choice{display:grid;align-content:start;grid-template-columns:auto minmax(0,1fr);gap:2px 10px;padding:12px 14px;border:1px solid var(--line-strong);border-radius:6px;cursor:pointer;font-weight:400}
.choice input{margin:3px 0 0;width:16px;height:16px;accent-color:var(--accent)}
.choice b{font-weight:500}
.choice .hint{grid-column:2}
.choice:has(:checked){border-color:var(--accent);background:var(--accent-soft)}
legend{padding:0;margin-bottom:6px}
.away{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media(max-width:640px){
.bar{padding:0 16px}.who{gap:8px}.wide{padding:16px 16px 48px;gap:16px}
.narrow{padding-top:6vh}
.card{padding:20px 16px}.rows,.old{margin:0 -16px -20px}.rows>li{padding:10px 16px 12px}.old>summary{padding:14px 16px}.ask>summary{top:10px;right:8px}
.two,.choices,.facts{grid-template-columns:minmax(0,1fr)}
input[type=text],input[type=password],select{font-size:16px}
.primary{width:100%}
}
@media(prefers-reduced-motion:no-preference){button,.button,summary,.choice{transition:background-color 120ms,border-color 120ms}}
`;
