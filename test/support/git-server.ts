import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import type http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "#local/serve.ts";

const HTTP_BACKEND = "/usr/lib/git-core/git-http-backend";

/** Nothing of the machine's own configuration, and the same commits every time. */
const ENVIRONMENT = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Somebody Else",
  GIT_AUTHOR_EMAIL: "else@example.test",
  GIT_COMMITTER_NAME: "Somebody Else",
  GIT_COMMITTER_EMAIL: "else@example.test",
};

/** What the server does instead of answering, or to its answer. */
export type Fault =
  | { kind: "status"; status: number; headers?: Record<string, string> }
  | { kind: "garbage" }
  | { kind: "silence" }
  /** Each request waits until the fault is another one, or none. */
  | { kind: "hold" }
  /** The connection is cut, or the answer ends as if it were whole, after so many bytes of the body. */
  | { kind: "cut"; after: number; only?: "POST" }
  | { kind: "end"; after: number; only?: "POST" };

export interface SeenRequest {
  method: string;
  url: string;
  authorization: string | undefined;
}

/**
 * A real git server over HTTP: `git http-backend` over bare repositories in a temporary directory. `POST /new` makes an empty
 * one and returns its address.
 */
export async function startGitServer(options: { username?: string; password?: string } = {}) {
  const directory = mkdtempSync(join(tmpdir(), "git-server-"));
  const expected =
    options.password === undefined
      ? undefined
      : `Basic ${Buffer.from(`${options.username}:${options.password}`).toString("base64")}`;
  const requests: SeenRequest[] = [];
  let fault: Fault | undefined;

  const handle = (request: http.IncomingMessage, response: http.ServerResponse) => {
    if (fault?.kind === "hold") {
      setTimeout(handle, 50, request, response);
      return;
    }
    if (fault?.kind === "silence") return;
    if (fault?.kind === "status") response.writeHead(fault.status, fault.headers).end("no");
    else if (fault?.kind === "garbage")
      response.writeHead(200, { "content-type": "text/html" }).end("<html>hello");
    else if (expected !== undefined && request.headers.authorization !== expected) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    } else runBackend(request, response, directory, fault);
  };
  const { url, close } = await serve((request, response) => {
    const { method = "", url: path = "" } = request;
    requests.push({ method, url: path, authorization: request.headers.authorization });
    // For tests that run where no server can be started, and know only an address.
    if (method === "POST" && path === "/new") {
      response.end(server.create(randomUUID()));
      return;
    }
    handle(request, response);
  });

  function git(repository: string, args: string[], input?: string): string {
    const cwd = join(directory, repository);
    return execFileSync("git", args, {
      cwd,
      env: ENVIRONMENT,
      input,
      encoding: "utf8",
      stdio: "pipe",
    }).trim();
  }

  const server = {
    url,
    directory,
    requests,
    /** From now on; undefined ends it. */
    setFault: (next: Fault | undefined): void => void (fault = next),
    /** Make a bare repository whose first commit holds these files; none for an empty repository. */
    create(name: string, files?: Record<string, string>): string {
      execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", join(directory, name)]);
      git(name, ["config", "http.receivepack", "true"]);
      if (files) server.commit(name, "main", files, "first");
      return `${url}/${name}`;
    },
    /** Add a commit that changes these files (null removes one), as another author. */
    commit(name: string, branch: string, files: Record<string, string | null>, message: string): string {
      const head = git(name, ["for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`]);
      const changes = Object.entries(files).toSorted(
        ([, a], [, b]) => Number(a !== null) - Number(b !== null),
      );
      git(
        name,
        ["fast-import", "--quiet"],
        [
          `commit refs/heads/${branch}\n`,
          `committer Somebody Else <else@example.test> ${Math.floor(Date.now() / 1000)} +0000\n`,
          data(message),
          head === "" ? "" : `from ${head}\n`,
          ...changes.map(([path, content]) =>
            content === null ? `D ${path}\n` : `M 100644 inline ${path}\n${data(content)}`,
          ),
        ].join(""),
      );
      return git(name, ["rev-parse", `refs/heads/${branch}`]);
    },
    /** Add a commit with these symbolic links: what each leads to, by its path. */
    link(name: string, branch: string, links: Record<string, string>): void {
      git(
        name,
        ["fast-import", "--quiet"],
        [
          `commit refs/heads/${branch}\n`,
          `committer Somebody Else <else@example.test> ${Math.floor(Date.now() / 1000)} +0000\n`,
          data("links"),
          `from refs/heads/${branch}^0\n`,
          ...Object.entries(links).map(([path, target]) => `M 120000 inline ${path}\n${data(target)}`),
        ].join(""),
      );
    },
    /** Run git in a bare repository. */
    git,
    /** Subjects of a branch's commits, newest first. */
    log: (name: string, branch: string): string[] => git(name, ["log", "--format=%s", branch]).split("\n"),
    read: (name: string, branch: string, path: string): string => git(name, ["show", `${branch}:${path}`]),
    /** A hook of a bare repository, as a shell script. */
    hook: (name: string, hook: string, script: string): Promise<void> =>
      writeFile(join(directory, name, "hooks", hook), `#!/bin/sh\n${script}\n`, { mode: 0o755 }),
    async close(): Promise<void> {
      await close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return server;
}

export type GitServer = Awaited<ReturnType<typeof startGitServer>>;

/** Text as `git fast-import` takes it. */
function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}

/** As CGI (RFC 3875): the request in the environment, an answer with a header of its own on standard output. */
function runBackend(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  directory: string,
  fault: Fault | undefined,
): void {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://git");
  const backend = spawn(HTTP_BACKEND, {
    env: {
      ...ENVIRONMENT,
      GIT_PROJECT_ROOT: directory,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: pathname,
      QUERY_STRING: searchParams.toString(),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      ...(request.headers["content-length"] && { CONTENT_LENGTH: request.headers["content-length"] }),
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      REMOTE_USER: "somebody",
    },
  });
  request.pipe(backend.stdin);
  backend.stdin.on("error", () => undefined);
  const chunks: Buffer[] = [];
  backend.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  backend.on("close", () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf("\r\n\r\n");
    const headers = Object.fromEntries(
      output
        .subarray(0, end)
        .toString("latin1")
        .split("\r\n")
        .map((line: string) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
    );
    const body = output.subarray(end + 4);
    const { Status: status = "200", ...others } = headers;
    response.writeHead(Number.parseInt(status, 10), others);
    const cuts = fault?.kind === "cut" || fault?.kind === "end" ? fault : undefined;
    if (!cuts || (cuts.only !== undefined && cuts.only !== request.method)) response.end(body);
    else if (cuts.kind === "end") response.end(body.subarray(0, cuts.after));
    else response.write(body.subarray(0, cuts.after), () => response.destroy());
  });
}
