import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startFloor, type Floor } from "./floor/index.ts";
import { startService, type Service } from "./service.ts";
import { newTaskClient, type TaskClient } from "./task-client.ts";

type Variables = Readonly<Record<string, string>>;

/** The environment of the measurements: one service at a time on one data folder, and the floor. */
export class Bench {
  readonly dataDir = mkdtempSync(path.join(tmpdir(), "workspace-bench-"));
  #running: { service: Service; variables: Variables; client: TaskClient } | undefined;
  #floor: Floor | undefined;

  /** The running service; restarted if it does not run with these variables. */
  async use(variables: Variables = {}): Promise<{ service: Service; client: TaskClient }> {
    if (this.#running && JSON.stringify(this.#running.variables) === JSON.stringify(variables)) {
      return this.#running;
    }
    await this.rest();
    const service = await startService(this.dataDir, variables);
    this.#running = { service, variables, client: await newTaskClient(service.url) };
    return this.#running;
  }

  /** Stops the service, for a measurement that starts its own. */
  async rest(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.client.http.close();
    await running?.service.stop();
  }

  /** Forgets a service that was killed. */
  forget(): void {
    this.#running?.client.http.close();
    this.#running = undefined;
  }

  async floor(): Promise<Floor> {
    this.#floor ??= await startFloor();
    return this.#floor;
  }

  async close(): Promise<void> {
    await this.rest();
    await this.#floor?.close();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
