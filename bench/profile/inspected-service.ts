import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readConfiguration } from "#local/configuration.ts";
import { startStack } from "#local/stack.ts";
import { buildDir } from "#local/worker/index.ts";
import { UNLIMITED } from "../service.ts";

export interface InspectedService {
  url: string;
  inspectorUrl: string;
  /** Folder of the running Worker's bundle. */
  bundleDir: string;
  close(): Promise<void>;
}

/** Runs the service in this process, so that its Node part can be profiled, with an inspector on its Worker. */
export async function startInspectedService(): Promise<InspectedService> {
  const dataDir = mkdtempSync(path.join(tmpdir(), "workspace-profile-"));
  const { DATABASE_URL } = process.env;
  const configuration = readConfiguration({ PORT: "0", DATA_DIR: dataDir, ...UNLIMITED, DATABASE_URL });
  const stack = await startStack(configuration, { log: () => {}, inspected: true });
  return {
    url: stack.url,
    inspectorUrl: stack.inspectorUrl ?? "",
    bundleDir: path.join(buildDir(dataDir), "bundle"),
    async close() {
      await stack.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
