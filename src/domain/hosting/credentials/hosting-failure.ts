import type { HostingFailure } from "#src/platform/hosting/failure.ts";

/**
 * Whether an error is a failure of a call to a provider. It goes by the name, because only the composition root imports
 * what the platform builds.
 */
export function isHostingFailure(error: unknown): error is HostingFailure {
  return error instanceof Error && error.name === "HostingFailure" && "kind" in error;
}
