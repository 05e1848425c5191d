import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { readConfiguration } from "#local/configuration.ts";
import { startStack } from "#local/stack.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A data folder with a migrated database and a built Worker, for services to begin with a copy of. */
    template: string;
  }
}

/** Makes the database and the bundle once for the whole run, by starting and stopping the service. */
export async function setup(project: TestProject): Promise<() => void> {
  const template = mkdtempSync(join(tmpdir(), "workspace-template-"));
  const stack = await startStack(readConfiguration({ PORT: "0", DATA_DIR: template }), { log: () => {} });
  await stack.close();
  project.provide("template", template);
  return () => rmSync(template, { recursive: true, force: true });
}
