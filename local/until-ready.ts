import { StartError } from "./start-error.ts";

/** Ends a start that hangs; a machine that is busy may need half a minute. */
const READY_TIMEOUT_MS = 120_000;
const READY_PAUSE_MS = 50;

/** Waits until the service reports that it and its dependencies are ready. */
export async function untilReady(url: string): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  let last = "";
  do {
    try {
      const response = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(READY_TIMEOUT_MS) });
      if (response.ok) return;
      last = await response.text();
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    await new Promise((resolve) => setTimeout(resolve, READY_PAUSE_MS));
  } while (Date.now() < deadline);
  throw new StartError([`The service does not become ready: ${last}`]);
}
