// Operations that return a document: Prometheus metrics and the OpenAPI file.
import { z } from 'zod';
import { apiOperation } from './operation.ts';

const none = z.strictObject({});

const openApiFile = z
  .looseObject({
    openapi: z.string().meta({ description: 'The version of OpenAPI.' }),
    info: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The title, the version and the description of the API.' }),
    paths: z.record(z.string(), z.unknown()).meta({ description: 'The operations, by path and method.' }),
  })
  .meta({ id: 'OpenApiFile', description: 'An OpenAPI document, as its specification defines it.' });

export const getMetrics = apiOperation({
  id: 'getMetrics',
  method: 'GET',
  path: '/metrics',
  access: 'read',
  tag: 'Monitoring',
  summary: 'Read metrics in the Prometheus format',
  description: 'Text format 0.0.4, or OpenMetrics on request. No label contains a user.',
  params: none,
  query: none,
  body: null,
  status: 200,
  output: z.string(),
  produces: ['text/plain', 'application/openmetrics-text'],
  example: { reply: '# HELP panel_users Users by state.\n# TYPE panel_users gauge\npanel_users{state="active"} 96\n' },
});

export const getOpenApi = apiOperation({
  id: 'getOpenApi',
  method: 'GET',
  path: '/openapi.json',
  access: 'read',
  tag: 'Panel',
  summary: 'Read this description as OpenAPI 3.1',
  description: "`servers` has the panel's own address.",
  params: none,
  query: none,
  body: null,
  status: 200,
  output: openApiFile,
  example: { reply: { openapi: '3.1.1', info: { title: 'Gatehouse panel API', version: '1.0.0' }, paths: {} } },
});
