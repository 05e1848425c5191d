import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { DEFAULT_CEILINGS } from "./ceilings.ts";
import { NO_RESERVED_PORTS } from "./memory-runtime.ts";

/** What `createContainer` needs, for projects whose runtimes use no port themselves. */
export function containerDeps({ db, secrets }: { db: Db; secrets: Secrets }) {
  return {
    db,
    secrets,
    config: DEFAULT_CEILINGS,
    refusalOfUrl: () => undefined,
    workspaces: NO_RESERVED_PORTS,
  };
}
