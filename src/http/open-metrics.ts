// OpenMetrics from the Prometheus text: prom-client would write it too, but renames the counters for good in doing so.

const COUNTER = /^# (HELP|TYPE) (\S+)_total /gm;

/** The same samples as OpenMetrics 1.0.0: a counter's family goes without `_total`, no empty lines, an end. */
export function toOpenMetrics(text: string): string {
  const body = text.replace(COUNTER, '# $1 $2 ').replace(/\n{2,}/g, '\n');
  return `${body.endsWith('\n') ? body : `${body}\n`}# EOF\n`;
}
