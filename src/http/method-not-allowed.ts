import type { FastifyInstance, HTTPMethods } from 'fastify';

/**
 * Collects the methods of every path from here on.
 * @returns adds to each of those paths the methods it does not have, answered with 405 and `Allow`
 */
export function collectMethods(app: FastifyInstance): () => void {
  const methodsOf = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsOf.get(url) ?? new Set();
    methodsOf.set(url, methods);
    for (const each of [method].flat()) methods.add(each);
  });
  return () => {
    for (const [url, methods] of [...methodsOf]) {
      const allow = [...methods].sort().join(', ');
      const others = app.supportedMethods.filter((method) => !methods.has(method)) as HTTPMethods[];
      app.route({
        method: others,
        url,
        schema: { hide: true },
        // Answered before the body is read: it is of no interest.
        onRequest: async (_request, reply) =>
          reply.code(405).header('allow', allow).send({ detail: 'Method Not Allowed' }),
        handler: async () => {},
      });
    }
  };
}
