import { Sandbox } from "@cloudflare/sandbox";
import { objectServices } from "#durable-objects/lib/object-services.ts";
import { hibernateBeforeEnd } from "#src/domain/workspaces/lifecycle/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import { timeLimit } from "#src/lib/time-limit.ts";
import type { Log } from "#src/platform/log/log.ts";
import { CommandResult, SECRET_HEADER, SERVER_PORT } from "#src/platform/runtime/http-runtime/protocol.ts";
import type { Services } from "#src/services.ts";
import type { Container } from "./container.ts";
import { SandboxHolder } from "./holder.ts";
import type { ProjectSandboxObject } from "./protocol.ts";
import { answerRequest } from "./routes.ts";
import { StorageState } from "./storage-state.ts";

/** Environment variable that the image's start script passes to the workspace server; see sandbox/start.sh. */
const SECRET_SHA256 = "WORKSPACE_SECRET_SHA256";
/** File with the disk's id; see sandbox/start.sh. */
const DISK_ID = "/var/lib/workspace/disk-id";
const INSTANCE_MS = 20_000;
const SERVER_MS = 30_000;
const LOOK_MS = 200;
const COMMAND_MS = 5000;
/** Between two looks at a running container. */
const LOOK_AFTER_SECONDS = 30;

/**
 * One object per project: its container, where the files are, and its agents' to-do lists. The container runs as long
 * as it holds files, even when idle, because they are lost with it. Hibernation moves them out and ends it.
 */
export class ProjectSandbox extends Sandbox<object> implements ProjectSandboxObject {
  override sleepAfter = "10m";
  readonly #services: Services;
  readonly #log: Log;
  /** The service knows that the platform ends this container. */
  #isSaved = false;
  readonly #holder: SandboxHolder;

  constructor(ctx: DurableObjectState<{}>, bindings: object) {
    super(ctx, bindings);
    this.#services = objectServices(bindings);
    const { config: env, log } = this.#services;
    this.enableInternet = env.PROJECT_NETWORK;
    this.#log = log.with({ project_id: ctx.id.name ?? ctx.id.toString() });
    const state = new StorageState(ctx.storage.kv);
    const container = this.#container(() => state.serverSecret());
    this.#holder = new SandboxHolder({ container, state, log: this.#log });
  }

  override fetch(request: Request): Promise<Response> {
    return answerRequest(this.#holder, request, this.#log);
  }

  /**
   * The SDK's own hook serves its sessions and tunnels, and checks a version in a way that restarts an ended container.
   */
  override async onStart(): Promise<void> {
    this.#holder.forgetDisk();
    this.#isSaved = false;
    this.deleteSchedules("lookAfter");
    // The name is not known in an alarm.
    await this.schedule(LOOK_AFTER_SECONDS, "lookAfter", this.ctx.id.name);
  }

  /** Not by SIGTERM, as the SDK does: the image's start script waits after it for the files to be saved. */
  override async onActivityExpired(): Promise<void> {
    await this.#holder.endIdle();
  }

  /** Called by the SDK's alarm, for as long as the container runs. */
  async lookAfter(projectId: string): Promise<void> {
    try {
      const mustSave = (await this.#holder.lookAfter()) === "save";
      if (mustSave && !this.#isSaved) {
        await hibernateBeforeEnd(this.#services, projectId);
        this.#isSaved = true;
      }
    } catch (cause) {
      this.#log.warn("a container could not be looked after", { cause });
    }
    if (this.ctx.container?.running) await this.schedule(LOOK_AFTER_SECONDS, "lookAfter", projectId);
  }

  #container(secret: () => string): Container {
    const { container } = this.ctx;
    // `containerFetch` is not used: it starts a container with an empty disk by itself.
    const fetch = async (given: Request) => {
      if (!container?.running) throw new Error("The container does not run");
      const request = new Request(given);
      request.headers.set(SECRET_HEADER, secret());
      return container.getTcpPort(SERVER_PORT).fetch(request);
    };
    return {
      get isRunning() {
        return container?.running === true;
      },
      start: () =>
        this.startAndWaitForPorts({
          ports: SERVER_PORT,
          startOptions: { envVars: { ...this.envVars, [SECRET_SHA256]: sha256Hex(secret()) } },
          cancellationOptions: {
            instanceGetTimeoutMS: INSTANCE_MS,
            portReadyTimeoutMS: SERVER_MS,
            waitInterval: LOOK_MS,
          },
        }),
      diskId: () => readDiskId(fetch),
      fetch,
      end: async () => {
        if (container?.running) await this.destroy();
      },
    };
  }
}

/** Read through a command, because the file is outside of the project. */
async function readDiskId(fetch: (request: Request) => Promise<Response>): Promise<string> {
  const command = {
    id: crypto.randomUUID(),
    command: `cat ${DISK_ID}`,
    cwd: "",
    env: {},
    timeoutMs: COMMAND_MS,
  };
  using limit = timeLimit(2 * COMMAND_MS);
  const response = await fetch(
    new Request("http://workspace/commands", {
      method: "POST",
      body: JSON.stringify(command),
      headers: { "content-type": "application/json" },
      signal: limit.signal,
    }),
  );
  const { stdout, exitCode } = parseJson(await response.text(), CommandResult);
  if (exitCode !== 0 || stdout.trim() === "") throw new Error("The container does not return its disk's id");
  return stdout.trim();
}
