import { DirectoryRegistry } from './directory-registry.ts';
import type { ModelRegistry } from './model-registry.ts';

/** Which registry, and which model in it; plain data, so that a thread can be told. */
export interface RegistrySettings {
  readonly directory: string;
  readonly modelName: string;
}

/** Opens the registry that the settings name. */
export function openRegistry(settings: RegistrySettings): ModelRegistry {
  return new DirectoryRegistry(settings);
}
