import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import { z } from 'zod';
import { type Fault, faultsOf } from './faults.ts';
import { isPredictRequest, PredictRequest } from './schemas.ts';

/** Says yes or no, which is all that a good request needs; `explain` finds the words for a bad one. */
export const compileValidator: FastifySchemaCompiler<z.ZodType> = ({ schema }) => {
  const isGood = schema === PredictRequest ? isPredictRequest : () => false;
  return (data: unknown) => {
    if (isGood(data)) return { value: data };
    const parsed = schema.safeParse(data);
    return parsed.success ? { value: parsed.data } : { error: new Error('The request is not valid.') };
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
