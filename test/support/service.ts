import { inject } from "vitest";
import type { Stack } from "#local/stack.ts";
import { apiClient, type ApiClient } from "./api-client.ts";
import { startOnCopy, type StackOptions } from "./start-on-copy.ts";

export interface TestService extends ApiClient {
  stack: Stack;
  /** Stop it and remove its data. */
  close(): Promise<void>;
}

/**
 * The whole service as `npm start` runs it, on a free port and with data of its own; `variables` are what a person would
 * set in the environment. Start it once per test file, and only where `sharedService` does not do: a start takes seconds.
 */
export async function startService(
  variables: Readonly<Record<string, string>> = {},
  options: StackOptions = {},
): Promise<TestService> {
  const started = await startOnCopy(
    { template: inject("template"), templateDatabase: inject("templateDatabase") },
    variables,
    options,
  );
  return { ...apiClient(started.stack.url), ...started };
}
