/**
 * The baseline: Fastify answering the service's own JSON as a constant, with no validation, no logging, no metrics. It
 * reads a POST body as any Fastify does. Starts on a free port and prints it.
 */
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyReply } from 'fastify';

const [predictJson = '{}', precomputedJson = '{}'] = process.argv.slice(2);
const app = Fastify();
const answer = (json: string) => async (_request: unknown, reply: FastifyReply) =>
  reply.type('application/json; charset=utf-8').send(json);

app.post('/predict/', answer(predictJson));
app.get('/predict/:match_id', answer(predictJson));
app.get('/predict/precomputed/:match_id', answer(precomputedJson));
await app.listen({ host: '127.0.0.1', port: 0 });
const { port } = app.server.address() as AddressInfo;
console.log(JSON.stringify({ port }));
