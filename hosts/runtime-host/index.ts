import { createHash, randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import type { Duplex } from "node:stream";
import { AppError } from "#src/lib/errors.ts";
import { ERROR_HEADER } from "#src/platform/runtime/http-runtime/protocol.ts";
import { sameText } from "#local/same-text.ts";
import { serve } from "#local/serve.ts";
import { buildWorkspaceServer } from "#workspace-server/build.ts";
import { findCgroups } from "./cgroup.ts";
import type { ProjectLimits } from "./limits.ts";
import { npmOutsideUsr, writeEtc } from "./machine-files.ts";
import { startOutboundProxy, type ProxyPolicy } from "./outbound-proxy.ts";
import { ProjectFolder } from "./project-folder.ts";
import { Project } from "./project.ts";
import { requireSandboxes } from "./requirements.ts";
import { answerCall, requestOf } from "./routes.ts";
import {
  ETC_FOLDER,
  FILTER_FILE,
  OUTBOUND_SOCKET,
  SERVER_FILE,
  type SandboxPrograms,
} from "./sandbox-command.ts";
import type { SandboxHost } from "./sandbox-process.ts";
import { seccompFilter } from "./seccomp.ts";
import { SandboxRegister } from "./sandbox-register.ts";
import { TodoLists } from "./todo-lists.ts";

export interface RuntimeHostOptions {
  /** The service's own data; sandboxes see only their project's files in it. */
  dataDir: string;
  limits: ProjectLimits;
  /** Allowed destinations of requests from sandboxes. */
  outbound: ProxyPolicy;
  /** Whether programs of projects may make requests; git always may. */
  network: boolean;
  log: (line: string) => void;
  /** How long an idle sandbox stays without a request. */
  lingerMs?: number;
}

const LINGER_MS = 60_000;
const PROJECT_PATH = /^\/([0-9a-f]{64})\/projects\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(\/.*)?$/u;

/**
 * The server for the `host` driver: every project in a sandbox of bubblewrap, started on demand. `url`, for
 * RUNTIME_HOST_URL, contains an unguessable token, so that other programs on the machine cannot use the server. Throws
 * a `StartError` where the machine cannot make sandboxes.
 */
export async function startRuntimeHost(
  options: RuntimeHostOptions,
): Promise<{ url: string; close: () => Promise<void> }> {
  const { dataDir, limits, outbound, network, log, lingerMs = LINGER_MS } = options;
  const projectsDir = makeFolder(path.join(dataDir, "projects"), 0o700);
  const ownDir = makeFolder(path.join(dataDir, "runtime-host"), 0o700);
  const marksDir = makeFolder(path.join(ownDir, "with-files"), 0o700);
  const folder = makeFolder(path.join(ownDir, "shown"), 0o755);
  const filter = seccompFilter(process.arch);
  if (filter) writeFileSync(path.join(folder, FILTER_FILE), filter);
  else log(`Sandboxes run without a filter of system calls: there is none for ${process.arch}`);
  const programs: SandboxPrograms = {
    node: realpathSync(process.execPath),
    npm: npmOutsideUsr(process.env),
    folder,
    isFiltered: filter !== undefined,
    hidden: [process.cwd(), dataDir],
  };
  writeEtc(path.join(folder, ETC_FOLDER));
  await buildWorkspaceServer(path.join(folder, SERVER_FILE));
  openToSandboxes(folder);
  const proxy = await startOutboundProxy(folder, OUTBOUND_SOCKET, outbound);
  await requireSandboxes(programs, limits, makeFolder(path.join(ownDir, "probe"), 0o755));

  const register = new SandboxRegister(path.join(ownDir, "sandboxes"));
  await register.killRemains();
  const digest = createHash("sha256").update(dataDir).digest("hex").slice(0, 16);
  const cgroups = await findCgroups(`agent-workspace-${digest}`);
  const host: SandboxHost = { programs, network, limits, cgroups, register, log };

  const projects = new Map<string, Project>();
  const open = (id: string): Project => {
    const known = projects.get(id);
    if (known) return known;
    const own = new ProjectFolder(path.join(projectsDir, id), path.join(marksDir, id));
    const project = new Project(host, id, own, lingerMs);
    projects.set(id, project);
    return project;
  };

  const token = randomBytes(32).toString("hex");
  const find = (request: IncomingMessage) => {
    const [, given = "", id = "", rest = "/"] = PROJECT_PATH.exec(request.url ?? "") ?? [];
    if (!sameText(given, token)) throw new AppError("not_found", "Not found");
    return { id, project: open(id), url: new URL(`http://project${rest}`) };
  };
  const server = await serve(
    (request, response) =>
      orRefuse(response, async () => {
        const { id, project, url } = find(request);
        const todos = new TodoLists(path.join(projectsDir, id));
        await answerCall({ project, todos, url, request, response });
      }),
    {
      // No time limit, because a body may take as long as it needs.
      requestTimeout: 0,
      onUpgrade: (request, socket, head) =>
        void orHangUp(socket, async () => {
          const { project, url } = find(request);
          await project.upgrade(request, socket, head, requestOf("GET", url));
        }),
    },
  );
  return {
    url: `${server.url}/${token}`,
    close: async () => {
      await server.close();
      await Promise.all([...projects.values()].map((project) => project.close()));
      await proxy.close();
      await cgroups?.close().catch(() => log("The control groups could not be removed"));
    },
  };
}

/** Sends failures in the workspace server's format. */
async function orRefuse(response: ServerResponse, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    const { code, message, status } = failureOf(error);
    response.writeHead(status, {
      "content-type": "application/json",
      [ERROR_HEADER]: code,
      connection: "close",
    });
    response.end(JSON.stringify({ code, message }));
  }
}

async function orHangUp(socket: Duplex, act: () => Promise<void>): Promise<void> {
  socket.on("error", () => socket.destroy());
  try {
    await act();
  } catch (error) {
    const { code, message, status } = failureOf(error);
    const body = JSON.stringify({ code, message });
    socket.end(
      `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\n${ERROR_HEADER}: ${code}\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    );
  }
}

function failureOf(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError("internal", "The project's environment failed", { cause: error });
}

/** Lets the sandboxes' user read what is in a folder, which the service's own mask keeps private. */
function openToSandboxes(dir: string): void {
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) chmodSync(path.join(entry.parentPath, entry.name), 0o644);
    if (entry.isDirectory()) chmodSync(path.join(entry.parentPath, entry.name), 0o755);
  }
}

function makeFolder(dir: string, mode: number): string {
  if (!existsSync(dir)) mkdirSync(dir);
  chmodSync(dir, mode);
  return dir;
}
