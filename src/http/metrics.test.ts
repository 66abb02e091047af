// The metrics for Prometheus.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDoor, type TestDoor } from '../../tests/support/door.ts';
import { SECRET_PATH } from '../../tests/support/fake-core.ts';
import { toOpenMetrics } from '../door/metrics.ts';

let door: TestDoor;
beforeEach(async () => {
  door = await openDoor();
});
afterEach(() => door.close());

async function scrape(accept = '*/*') {
  const reply = await door.call('GET', '/metrics', { headers: { accept } });
  return { type: reply.headers.get('content-type'), text: await reply.text() };
}

describe('GET /metrics', () => {
  it('tells the figures of the panel', async () => {
    const { type, text } = await scrape();
    expect(type).toBe('text/plain; version=0.0.4; charset=utf-8');
    for (const line of [
      'panel_info{version="0.1.0"} 1',
      'panel_users{state="active"} 96',
      'panel_users_online 31',
      'panel_traffic_bytes_total{direction="down"} 200',
      'panel_node_traffic_bytes_total{node_id="1",node="de \\"1\\"",direction="up"} 10',
      'panel_inbound_traffic_bytes_total{inbound_id="1",inbound="vless",direction="up"} 10',
      'panel_keys{access="full"} 2',
      'panel_db_size_bytes 4096',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
    expect(text).toMatch(/^process_start_time_seconds \d/m);
  });

  it('counts totals once, however often it is asked', async () => {
    await scrape();
    const { text } = await scrape();
    expect(text).toContain('panel_traffic_bytes_total{direction="up"} 10\n');
  });

  it('counts requests by route template, never by path', async () => {
    await door.call('GET', '/users/7');
    await door.call('GET', '/users/8');
    await door.call('GET', '/users/8/none');
    const { text } = await scrape();
    const count = 'panel_http_request_duration_seconds_count';
    expect(text).toContain(`${count}{route="/users/{id}",method="GET",status="200"} 2`);
    expect(text).toContain(`${count}{route="unmatched",method="GET",status="404"} 1`);
    expect(text).not.toContain(SECRET_PATH);
    expect(text).not.toContain('/users/8');
  });

  it('names only counters like counters', async () => {
    const { text } = await scrape();
    const misnamed = [...text.matchAll(/^# TYPE (\S+_total) (?!counter)/gm)].map(([, name]) => name);
    expect(misnamed).toEqual([]);
  });

  it('speaks OpenMetrics when asked to, and the old format still afterwards', async () => {
    const { type, text } = await scrape('application/openmetrics-text;version=1.0.0,text/plain;q=0.3');
    expect(type).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(text).toContain('# TYPE panel_traffic_bytes counter\npanel_traffic_bytes_total{direction="up"} 10\n');
    expect(text.endsWith('\n# EOF\n')).toBe(true);
    expect(text).not.toContain('\n\n');
    expect((await scrape()).text).toContain('# TYPE panel_traffic_bytes_total counter');
  });

  it('forgets the labels of what is gone', async () => {
    await scrape();
    const { figures } = door.core;
    door.core.figures = () => ({ ...figures(), nodeTraffic: [] });
    expect((await scrape()).text).not.toContain('panel_node_traffic_bytes_total{');
  });
});

describe('toOpenMetrics', () => {
  it('renames the families of counters alone', () => {
    expect(toOpenMetrics('# HELP a_total A.\n# TYPE a_total counter\na_total 1\n\n# TYPE b gauge\nb 2\n')).toBe(
      '# HELP a A.\n# TYPE a counter\na_total 1\n# TYPE b gauge\nb 2\n# EOF\n',
    );
  });
});
