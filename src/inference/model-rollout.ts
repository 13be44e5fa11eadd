import type { Logger } from 'pino';
import type { ModelRegistry, ModelVersion } from '../models/model-registry.ts';
import type { Failure } from './job.ts';
import type { DeployableModel } from './pool.ts';
import type { ModelShape, Reply } from './thread.ts';

/** The part of the pool that a rollout needs. */
export interface ModelServer {
  serves(stage: string, key: string): boolean;
  deploy(stage: string, model: DeployableModel): Promise<Failure | undefined>;
  refuse(stage: string, failure: Failure): void;
}

export interface RolloutOptions {
  readonly stage: string;
  readonly registry: ModelRegistry;
  readonly server: ModelServer;
  /** Loads and warms a model where it can do no harm. */
  readonly trial: (folder: string, signal: AbortSignal) => Promise<Reply<ModelShape>>;
  /** Seconds between looks at the registry; 0 = never again once a model serves. */
  readonly refreshSeconds: number;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

/** What a rollout has reached, for the health check. */
export interface RolloutState {
  /** The version that serves; undefined while there is none. */
  readonly serving: ModelVersion | undefined;
  /** Why the last look gave nothing better; undefined when it did, and before the first. */
  readonly fault: string | undefined;
}

/**
 * Follows one stage or alias of the registry: a new version is fetched, tried, loaded and warmed on the threads, and only
 * then takes traffic. One that fails is refused; what served before goes on serving. While nothing serves, it looks
 * again on its own, soon at first and then every half minute, so that a mended registry needs no restart.
 */
export class ModelRollout {
  readonly #options: RolloutOptions;
  #state: RolloutState = { serving: undefined, fault: undefined };
  /** Key of the version that was refused last; it is not tried again until the registry names another one. */
  #refusedKey: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The look under way; one at a time. */
  #looking: Promise<void> | undefined;
  #emptyLooks = 0;
  /** Aborted when the rollout is closed. */
  readonly #closing = new AbortController();

  constructor(options: RolloutOptions) {
    this.#options = options;
  }

  get stage(): string {
    return this.#options.stage;
  }

  get state(): RolloutState {
    return this.#state;
  }

  /** Looks once, and from then on in the background. Never throws: a fault is in `state` and in the log. */
  async start(): Promise<void> {
    await this.look();
    this.#schedule();
  }

  /** Looks at the registry now and rolls out what it names. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    try {
      await this.#follow();
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#report((error as Error).message);
    }
  }

  async #follow(): Promise<void> {
    const { stage, registry, server, trial } = this.#options;
    const version = await registry.resolve(stage);
    if (version === undefined) return this.#report(`No version of the model is registered for '${stage}'.`);
    const key = `${version.modelName}/${version.version}@${version.stamp}`;
    if (server.serves(stage, key)) return this.#serve(version);
    if (key === this.#refusedKey) return;
    const folder = await registry.fetch(version);
    const tried = await trial(folder, this.#closing.signal);
    const { runId } = version;
    const failure = tried.ok
      ? await server.deploy(stage, { key, folder, runId, digest: tried.value.digest })
      : tried;
    if (failure === undefined) return this.#serve(version);
    if (failure.code === 'MODEL_REFUSED') this.#refusedKey = key;
    this.#report(`Version ${version.version}: ${failure.message}`);
  }

  #serve(version: ModelVersion): void {
    const { stage, logger } = this.#options;
    const changed = this.#state.serving !== version && this.#state.serving?.stamp !== version.stamp;
    if (changed || this.#state.fault !== undefined) {
      logger.info({ stage, version: version.version, runId: version.runId }, 'model serving');
    }
    this.#refusedKey = undefined;
    this.#state = { serving: version, fault: undefined };
  }

  #report(fault: string): void {
    const { stage, server, logger } = this.#options;
    const { serving } = this.#state;
    if (serving === undefined) server.refuse(stage, { ok: false, code: 'MODEL_UNAVAILABLE', message: fault });
    if (fault === this.#state.fault) return;
    logger.error({ stage, serving: serving?.version, fault }, 'model version not rolled out');
    this.#state = { serving, fault };
  }

  #schedule(): void {
    if (this.#closing.signal.aborted) return;
    const { refreshSeconds } = this.#options;
    const empty = this.#state.serving === undefined;
    this.#emptyLooks = empty ? this.#emptyLooks + 1 : 0;
    const delaySeconds = empty ? Math.min(2 ** (this.#emptyLooks - 1), 30) : refreshSeconds;
    if (delaySeconds === 0) return;
    this.#timer = setTimeout(() => void this.start(), delaySeconds * 1000);
    this.#timer.unref();
  }
}
