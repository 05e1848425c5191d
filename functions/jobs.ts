import { deliverCallback } from "#src/domain/agent-work/callbacks/index.ts";
import { handleEvent } from "#src/domain/billing/payment-events/index.ts";
import { cloneRepository } from "#src/domain/source-control/git/index.ts";
import { destroyWorkspace } from "#src/domain/workspaces/projects/index.ts";
import { serveJob, type PlatformFunction } from "./serve.ts";

/** Every kind of job: what the kernel executes and sweeps. */
export const JOBS: readonly PlatformFunction[] = [
  serveJob(deliverCallback),
  serveJob(cloneRepository),
  serveJob(destroyWorkspace),
  serveJob(handleEvent),
];
