import type { FastifyRequest, FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';
import { ResponseSerializationError } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { type Fault, faultsOf } from './faults.ts';
import { MatchParams, PredictRequest, readMatchParams, readPredictRequest } from './schemas.ts';

/** On the hot path a good request is read by hand; each reader gives what its schema would, or undefined to ask it. */
const readers = new Map<z.ZodType, (data: unknown) => unknown>([
  [MatchParams, readMatchParams],
  [PredictRequest, readPredictRequest],
]);

/** Says yes or no, which is all that a good request needs; `explain` finds the words for a bad one. */
export const compileValidator: FastifySchemaCompiler<z.ZodType> = ({ schema }) => {
  const read = readers.get(schema);
  return (data: unknown) => {
    const value = read?.(data);
    if (value !== undefined) return { value };
    const parsed = schema.safeParse(data);
    return parsed.success ? { value: parsed.data } : { error: new Error('The request is not valid.') };
  };
};

/** Validates an answer as it is written; what is sent is what the handler gave, for a schema here changes nothing. */
export const compileSerializer: FastifySerializerCompiler<z.ZodType> = ({ schema, method, url }) => {
  return (data: unknown) => {
    const parsed = schema.safeParse(data);
    if (!parsed.success) throw new ResponseSerializationError(method, url, { cause: parsed.error });
    return JSON.stringify(data);
  };
};

/** Most faults of one part that an answer lists, so that 1 MiB of wrong features is not answered with 20. */
const MOST_FAULTS = 1000;

/** Every fault of a request that `compileValidator` has refused: path, then query, then body, as FastAPI lists them. */
export function explain(request: FastifyRequest): Fault[] {
  const { schema } = request.routeOptions;
  const parts: [part: string, schema: unknown, data: unknown][] = [
    ['path', schema?.params, request.params],
    ['query', schema?.querystring, request.query],
    ['body', schema?.body, request.body],
  ];
  return parts.flatMap(([part, rule, data]) => {
    const issues = rule instanceof z.ZodType ? (rule.safeParse(data).error?.issues ?? []) : [];
    const faults = issues.slice(0, MOST_FAULTS).flatMap((issue) => faultsOf(issue, part, data));
    return faults.slice(0, MOST_FAULTS);
  });
}
