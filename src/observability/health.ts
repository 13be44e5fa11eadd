import type { RolloutState } from '../inference/model-rollout.ts';
import type { ThreadCounts } from '../inference/pool.ts';

/** The parts of the service whose state decides whether it can serve. */
export interface HealthParts {
  /** The contract's version. */
  readonly version: string;
  /** The stage that must have a model; the others only report. */
  readonly defaultStage: string;
  readonly rollouts: readonly { readonly stage: string; readonly state: RolloutState }[];
  readonly tables: readonly TableHealth[];
  readonly threads: () => ThreadCounts;
}

/** The part of a table store that tells how it is. */
export interface TableHealth {
  readonly name: string;
  readonly looked: boolean;
  readonly current: { readonly table: { readonly rowCount: number }; readonly writtenAt: string | null };
  readonly lastFault: string | undefined;
}

export interface HealthReport {
  readonly status: 'healthy' | 'starting' | 'draining' | 'unhealthy';
  readonly version: string;
  readonly processId: number;
  readonly memoryMegabytes: number;
  readonly uptimeSeconds: number;
  readonly checks: Record<string, { ok: boolean; [detail: string]: unknown }>;
}

/** Says whether the service can serve, from the state of its parts; it asks nothing that could wait. */
export class Health {
  readonly #parts: HealthParts;
  #draining = false;

  constructor(parts: HealthParts) {
    this.#parts = parts;
  }

  /** From now on the service is on its way out: not ready, whatever else works. */
  drain(): void {
    this.#draining = true;
  }

  report(): HealthReport {
    const checks = this.#checks();
    return {
      status: this.#status(checks),
      version: this.#parts.version,
      processId: process.pid,
      memoryMegabytes: Math.round(process.memoryUsage.rss() / 1e5) / 10,
      uptimeSeconds: Math.round(process.uptime() * 10) / 10,
      checks,
    };
  }

  #status(checks: HealthReport['checks']): HealthReport['status'] {
    if (this.#draining) return 'draining';
    const { rollouts, tables, defaultStage } = this.#parts;
    const rollout = rollouts.find(({ stage }) => stage === defaultStage);
    const loading = rollout?.state.serving === undefined && rollout?.state.fault === undefined;
    if (loading || tables.some(({ looked }) => !looked)) return 'starting';
    return checks[`model:${defaultStage}`]?.ok && checks.threads?.ok ? 'healthy' : 'unhealthy';
  }

  #checks(): HealthReport['checks'] {
    const checks: HealthReport['checks'] = {};
    for (const { stage, state } of this.#parts.rollouts) {
      const { serving, fault } = state;
      checks[`model:${stage}`] = {
        ok: serving !== undefined,
        version: serving?.version ?? null,
        run_id: serving?.runId ?? null,
        fault: fault ?? null,
      };
    }
    for (const { name, looked, current, lastFault } of this.#parts.tables) {
      const { table, writtenAt } = current;
      const ok = looked && lastFault === undefined;
      checks[`table:${name}`] = { ok, rows: table.rowCount, written_at: writtenAt, fault: lastFault ?? null };
    }
    const { total, stuck } = this.#parts.threads();
    checks.threads = { ok: stuck < total, total, stuck };
    return checks;
  }
}
