/** Where models are registered: names, their versions, and the aliases that point to one. */
export interface ModelRegistry {
  /**
   * The version that an alias (`champion`) or a stage (`Staging`: its newest version) of the model points to now;
   * undefined when nothing is registered under it.
   *
   * @throws ModelUnavailableError when the registry cannot be asked, or points to a version that is not there
   */
  resolve(alias: string): Promise<ModelVersion | undefined>;

  /**
   * Brings a version's files to this machine.
   *
   * @returns a folder that holds model.onnx, and MLmodel if the version has one; to be read, not to be written
   * @throws ModelUnavailableError when they cannot be had
   */
  fetch(version: ModelVersion): Promise<string>;

  /**
   * What the training run left behind; empty records when that is unknown.
   *
   * @throws ModelUnavailableError when the registry cannot be asked
   */
  describe(version: ModelVersion): Promise<RunDescription>;
}

/** One version of a model. Plain data, to be sent to a thread as it is. */
export interface ModelVersion {
  readonly modelName: string;
  readonly version: string;
  /** The training run that made it. */
  readonly runId: string | undefined;
  /** When the version was registered, ISO 8601. */
  readonly createdAt: string | undefined;
  /** Where the registry that named the version finds its files; a meaning to no one else. */
  readonly source: string;
  /** Changes when the files behind the same version number do; to be compared, never read. */
  readonly stamp: string;
}

export interface RunDescription {
  /** Finite numbers only. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly params: Readonly<Record<string, string>>;
}
