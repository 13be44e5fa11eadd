import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningService, startService } from '../service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService({ BODY_LIMIT_BYTES: '100000', REQUEST_TIMEOUT_SECONDS: '0.5' });
  await service.loaded;
});
afterAll(() => service[Symbol.asyncDispose]());

const good = { match_id: 1, features: {} };

async function expectFaults(
  answer: Promise<{ status: number; body: { detail: unknown } }>,
  ...faults: object[]
) {
  const { status, body } = await answer;
  expect(body.detail).toEqual(faults.map((fault) => expect.objectContaining(fault)));
  expect(status).toBe(422);
}

describe('a body that is not what the route takes is 422 with each fault', () => {
  test('broken JSON, with the place', async () => {
    await expectFaults(service.post('/predict/', '{"match_id":1,}'), {
      type: 'json_invalid',
      loc: ['body', 14],
      msg: 'JSON decode error',
      input: {},
      ctx: { error: expect.stringContaining('property name') },
    });
    for (const text of ['{', 'nul', '{"match_id": NaN, "features": {}}', '\ufeff{}', "{'a':1}"]) {
      await expectFaults(service.post('/predict/', text), { type: 'json_invalid' });
    }
  });

  test('bytes that are not UTF-8', async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = service.get('/predict/', {
      method: 'POST',
      headers,
      body: Buffer.from([0x22, 0xff, 0x22]),
    });
    await expectFaults(answer, { type: 'json_invalid' });
  });

  test('an empty body', async () => {
    await expectFaults(service.post('/predict/', ''), { type: 'missing', loc: ['body'], input: null });
    await expectFaults(service.get('/predict/', { method: 'POST' }), { type: 'missing', loc: ['body'] });
  });

  test('another content type than JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'nonsense']) {
      const answer = service.post('/predict/', good, { headers: { 'content-type': type } });
      await expectFaults(answer, { type: 'model_attributes_type', loc: ['body'] });
    }
    const suffixed = await service.post('/predict/', good, {
      headers: { 'content-type': 'application/vnd.x+json' },
    });
    expect(suffixed.status).toBe(200);
  });

  test('an array, a string, a number', async () => {
    for (const text of ['[]', '"x"', '5', 'null']) {
      const { status, body } = await service.post('/predict/', text);
      expect([status, body.detail[0].loc]).toEqual([422, ['body']]);
    }
  });

  test('unknown fields, __proto__ and constructor among them, which change nothing', async () => {
    const text = '{"match_id":1,"features":{},"__proto__":{"polluted":1},"constructor":{"prototype":{}}}';
    await expectFaults(
      service.post('/predict/', text),
      { type: 'extra_forbidden', loc: ['body', '__proto__'] },
      { type: 'extra_forbidden', loc: ['body', 'constructor'] },
    );
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('features named __proto__ are features that no model knows', async () => {
    const none = await service.post('/predict/', good);
    const odd = await service.post(
      '/predict/',
      '{"match_id":1,"features":{"__proto__":5,"constructor":1,"toString":2}}',
    );
    expect(odd.body).toEqual(none.body);
  });

  test('a match id beyond 2^53, a text, a fraction', async () => {
    const at = { loc: ['body', 'match_id'] };
    await expectFaults(service.post('/predict/', '{"match_id":9007199254740993,"features":{}}'), {
      type: 'less_than_equal',
      ...at,
    });
    await expectFaults(service.post('/predict/', { ...good, match_id: '12' }), { type: 'int_type', ...at });
    await expectFaults(service.post('/predict/', { ...good, match_id: 1.5 }), {
      type: 'int_from_float',
      ...at,
    });
    await expectFaults(service.post('/predict/async/', { match_id: '12' }), { type: 'int_type', ...at });
    const largest = await service.post('/predict/', { ...good, match_id: 2 ** 53 - 1 });
    expect(largest.body.match_id).toBe(9007199254740991);
  });

  test('faults of query and body are told together, the query first', async () => {
    await expectFaults(
      service.post('/predict/?stage=Staging', { features: { a: 'x' } }),
      { type: 'literal_error', loc: ['query', 'stage'], input: 'Staging' },
      { type: 'missing', loc: ['body', 'match_id'] },
      { type: 'float_parsing', loc: ['body', 'features', 'a'] },
    );
  });

  test('a deeply nested body is answered like any other', async () => {
    const nested = `{"match_id":1,"features":{"a":${'['.repeat(40_000)}${']'.repeat(40_000)}}}`;
    await expectFaults(service.post('/predict/', nested), {
      type: 'float_type',
      loc: ['body', 'features', 'a'],
    });
  });

  test('an answer does not grow with what was wrong', async () => {
    const wrong = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${i}`, null]));
    for (const body of [
      { match_id: 1, features: wrong },
      { ...good, ...wrong },
    ]) {
      const { status, body: answer } = await service.post('/predict/', body);
      expect([status, answer.detail.length]).toEqual([422, 1000]);
    }
  });
});

describe('a path or query that is not what the route takes is 422', () => {
  test('an id that is no integer', async () => {
    for (const path of [
      '/predict/abc',
      '/predict/1.0',
      '/predict/9007199254740993',
      '/predict/precomputed/x1',
      `/predict/${'9'.repeat(4000)}`,
    ]) {
      const { status, body } = await service.get(path);
      expect([path.slice(0, 40), status, body.detail[0].loc]).toEqual([
        path.slice(0, 40),
        422,
        ['path', 'match_id'],
      ]);
    }
  });

  test('a stage that is not one of the two', async () => {
    for (const path of [
      '/predict/1?stage=Staging',
      '/predict/model/info?stage=',
      '/predict/1?stage=champion&stage=x',
    ]) {
      const { status, body } = await service.get(path);
      expect([path, status, body.detail[0].type]).toEqual([path, 422, 'literal_error']);
    }
  });
});

describe('what no route takes', () => {
  test('an unknown path is 404 Not Found', async () => {
    for (const path of ['/', '/nope', '/predict/1/2', '/monitoring/', '/healthcheck/x']) {
      const { status, body } = await service.get(path);
      expect([path, status, body]).toEqual([path, 404, { detail: 'Not Found' }]);
    }
  });

  test('a wrong method is 405 with Allow, whatever its body', async () => {
    const { status, headers, body } = await service.post('/predict/matches/', '{broken');
    expect([status, headers.get('allow'), body]).toEqual([
      405,
      'GET, HEAD',
      { detail: 'Method Not Allowed' },
    ]);
    const get = await service.get('/predict/');
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await service.get('/healthcheck/', { method: 'DELETE' })).status).toBe(405);
    expect((await service.post('/predict/5', good)).headers.get('allow')).toBe('GET, HEAD');
  });

  test('a body above the limit is 413, announced or not', async () => {
    const { status, body } = await service.post('/predict/', { ...good, padding: 'x'.repeat(200_000) });
    expect([status, body]).toEqual([413, { detail: 'The request body is larger than 100000 bytes.' }]);
    const chunks = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(50_000).fill(0x20));
      },
    });
    const headers = { 'content-type': 'application/json' };
    const streamed = await service
      .get('/predict/', { method: 'POST', headers, body: chunks, duplex: 'half' } as RequestInit)
      .catch(() => undefined); // the connection may be closed before the client has read the answer
    expect(streamed?.status ?? 413).toBe(413);
  });

  test('a path that cannot be decoded is 400, in JSON', async () => {
    const { status, body } = await service.get('/predict/%zz');
    expect([status, typeof body.detail]).toEqual([400, 'string']);
  });

  /** All that the server says to this, until it ends the connection. */
  const rawAnswer = (text: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.on('data', (data) => {
        answer += data;
      });
      socket.on('close', () => resolve(answer));
    });

  test('what is not HTTP is 400, in JSON, and the connection ends', async () => {
    const answer = await rawAnswer('NONSENSE\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n.*\{"detail":"Bad Request"\}$/s);
  });

  test('headers beyond all measure are 431', async () => {
    const answer = await rawAnswer(`GET / HTTP/1.1\r\nhost: x\r\na: ${'x'.repeat(100_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 .*\{"detail":"Request Header Fields Too Large"\}$/s);
  });

  test('a request that stalls is 408, and the connection ends', async () => {
    const head =
      'POST /predict/ HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n';
    const answer = await rawAnswer(`${head}{"match_id":`);
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n.*\{"detail":"Request Timeout"\}$/s);
  });
});

describe('every answer', () => {
  test('carries the request id, the client’s own when it is sane', async () => {
    const own = await service.get('/predict/1x', { headers: { 'x-request-id': 'trace-42' } });
    expect(own.headers.get('x-request-id')).toBe('trace-42');
    for (const id of ['a b', 'x'.repeat(200), '<script>']) {
      const { headers } = await service.get('/healthcheck/live', { headers: { 'x-request-id': id } });
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('carries the contract’s version', async () => {
    for (const path of ['/healthcheck/', '/nope', '/predict/abc']) {
      expect((await service.get(path)).headers.get('api-version')).toBe('1.0.0');
    }
  });
});

test('after all of that the service is as healthy as before', async () => {
  expect((await service.get('/healthcheck/')).status).toBe(200);
  expect((await service.post('/predict/', good)).status).toBe(200);
});
