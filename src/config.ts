/**
 * Every setting of the service, read from the environment once, here and nowhere else. The README's table is generated
 * from `settings` (`openapi/generate.ts`), so a description is written for the person who sets it.
 */
import { availableParallelism } from 'node:os';
import { z } from 'zod';

const whole = (least: number, most = Number.MAX_SAFE_INTEGER) => z.coerce.number().int().min(least).max(most);
const seconds = (least: number) => z.coerce.number().min(least).max(2_000_000); // 2^31 ms is where setTimeout ends
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean),
);

export interface Setting {
  readonly schema: z.ZodType;
  /** The text that stands for an absent or empty variable. */
  readonly standard: string;
  /** The default as the README prints it, for one that depends on the machine. */
  readonly shown: string;
  readonly description: string;
}

/** Name of the environment variable → its rule, its default and what it is for. */
export const settings = {
  HOST: setting(z.string(), '0.0.0.0', 'address to listen on'),
  PORT: setting(whole(0, 65_535), '8000', 'port to listen on; 0 takes a free one'),
  LOG_LEVEL: setting(
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    'info',
    'how much is logged',
  ),
  BODY_LIMIT_BYTES: setting(whole(1), '1048576', 'a larger request body is refused with 413'),
  REQUEST_TIMEOUT_SECONDS: setting(
    seconds(0.1),
    '30',
    'how long a client may take to send a request; one that stalls is answered with 408',
  ),
  FEATURES_PATH: setting(
    z.string(),
    'fixtures/match_features.parquet',
    'Parquet file of the features table; no file is an empty table',
  ),
  PREDICTIONS_PATH: setting(
    z.string(),
    'fixtures/predictions.parquet',
    'Parquet file of the precomputed predictions; no file is an empty table',
  ),
  TABLE_REFRESH_SECONDS: setting(
    seconds(0),
    '60',
    'how often a table is looked at for a newer one; 0 = never',
  ),
  MODEL_NAME: setting(z.string().min(1), 'match-outcome', 'name of the model in the registry'),
  MODEL_STAGES: setting(list, 'champion', 'stages and aliases that the threads serve, separated by commas'),
  MODEL_STAGE: setting(z.string().min(1), 'champion', 'stage or alias used when a request names none'),
  MODEL_REGISTRY_DIR: setting(z.string(), 'fixtures/registry', 'folder of the embedded model registry'),
  MODEL_REFRESH_SECONDS: setting(
    seconds(0),
    '60',
    'how often an alias is followed to a newer version; 0 = never',
  ),
  MODEL_TRIAL_SECONDS: setting(
    seconds(0.1),
    '60',
    'how long a new model version may take to load and warm in a process of its own before it is refused',
  ),
  WORKER_THREADS: setting(
    whole(1, 256),
    String(Math.max(1, availableParallelism() - 1)),
    'threads that run models',
    'cores − 1, at least 1',
  ),
  MAX_BATCH_SIZE: setting(whole(1, 65_536), '64', 'most predictions that share one run of the model'),
  MAX_QUEUE: setting(
    whole(1),
    '4096',
    'most tasks that wait or run at once; above it a request is answered with 503',
  ),
  SYNC_TIMEOUT_SECONDS: setting(
    seconds(0.001),
    '30',
    'how long a request waits for a worker before it is answered with 504',
  ),
  PREDICT_RETRY_DELAY_SECONDS: setting(
    seconds(0),
    '10',
    'pause before each of the 2 retries of predict_match',
  ),
  MODEL_INFO_RETRY_DELAY_SECONDS: setting(seconds(0), '5', 'pause before the 1 retry of get_model_info'),
  SHUTDOWN_GRACE_SECONDS: setting(
    seconds(0.1),
    '30',
    'how long a stopping process waits for what it has taken before it ends all the same',
  ),
  TASK_RESULT_TTL: setting(
    seconds(1),
    '86400',
    'seconds for which the result of an asynchronous task is kept',
  ),
  TASK_RESULT_LIMIT: setting(
    whole(1),
    '100000',
    'most results kept by the embedded queue; the oldest go first',
  ),
} as const satisfies Record<string, Setting>;

export type Config = {
  readonly [Name in keyof typeof settings]: z.output<(typeof settings)[Name]['schema']>;
};

/** The settings in `environment` are not usable; the message lists each, so that one start shows all of them. */
export class ConfigError extends Error {
  readonly code = 'CONFIG_INVALID';
  override readonly name = 'ConfigError';
}

/**
 * Reads and checks every setting. An empty variable counts as absent, as in most shells' `${NAME:-default}`.
 * @throws ConfigError naming each variable that is wrong and its value
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { schema, standard }] of Object.entries<Setting>(settings)) {
    const text = environment[name] || standard;
    const parsed = schema.safeParse(text);
    if (parsed.success) values[name] = parsed.data;
    else faults.push(`${name}=${text}: ${parsed.error.issues.map((issue) => issue.message).join('; ')}`);
  }
  const config = values as Config;
  if (faults.length === 0 && !config.MODEL_STAGES.includes(config.MODEL_STAGE)) {
    faults.push(
      `MODEL_STAGE=${config.MODEL_STAGE}: not one of MODEL_STAGES (${config.MODEL_STAGES.join(',')})`,
    );
  }
  if (faults.length > 0) throw new ConfigError(`These settings are wrong:\n  ${faults.join('\n  ')}`);
  return config;
}

function setting<Schema extends z.ZodType>(
  schema: Schema,
  standard: string,
  description: string,
  shown = `\`${standard}\``,
) {
  return { schema, standard, description, shown };
}
