import type { api } from "@agent-workspace/client";
import { createHash } from "node:crypto";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { NO_BUBBLEWRAP, SKIPPED } from "#test/hosts/support/runtime-host.ts";
import type { Account } from "#test/support/api-client.ts";
import { startGitServer, type GitServer } from "#test/support/git-server.ts";
import { openSocket } from "#test/support/preview-socket.ts";
import { previewVisitor } from "#test/support/preview-visitor.ts";
import { otherSharedService, type SharedService } from "#test/support/shared-service.ts";
import { newTaskClient } from "#test/support/task-client.ts";

let git: GitServer;
beforeAll(async () => {
  git = await startGitServer();
});
afterAll(() => git.close());

// On the embedded runtime the same is in git and lifecycle.
describe.skipIf(NO_BUBBLEWRAP)(`a project on the host runtime${SKIPPED}`, () => {
  let service: SharedService;
  let owner: Account;
  let project: api.CreatedProject;

  beforeAll(async () => {
    service = await otherSharedService("host");
    owner = await service.signUp("owner");
  });

  const call = <T = unknown>(method: string, path: string, json?: unknown) =>
    service.call<T>(method, path, { token: owner.token, json });

  const untilState = (id: string, state: string) =>
    vi.waitFor(
      async () => {
        const { body } = await call<api.GetProjectStatusAnswer>("GET", `/api/projects/${id}/status`);
        if (body.state !== state) throw new Error(`${body.state}: ${body.error}`);
        return body;
      },
      { interval: 100 },
    );

  /** Every file of a project by its path, as the sum of its bytes. */
  async function contents(id: string): Promise<Record<string, string>> {
    const { body } = await call<api.GetFileTreeAnswer>("GET", `/api/projects/${id}/files/tree`);
    const paths = body.files.filter((each) => !each.is_dir).map(({ path }) => path);
    const sums: Record<string, string> = {};
    for (const path of paths) {
      const query = new URLSearchParams({ path });
      const answer = await fetch(`${service.url}/api/projects/${id}/files/raw?${query}`, {
        headers: { authorization: `Bearer ${owner.token}` },
      });
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      sums[path] = createHash("sha256")
        .update(await answer.bytes())
        .digest("hex");
    }
    return sums;
  }

  it("is made from a repository, edited and tested by the agent, and pushed", async () => {
    const url = git.create("app", {
      "src/answer.txt": "41\n",
      "test.sh": 'grep -qx 42 src/answer.txt && echo "1 passed" || { echo "1 failed"; exit 1; }\n',
    });
    const made = await call<api.CreatedProject>("POST", "/api/projects", {
      name: "app",
      source_type: "github",
      git_repo_url: url,
    });
    expect(made).toMatchObject({ status: 200, body: { status: "initializing" } });
    project = made.body;
    expect(await untilState(project.id, "stopped")).toMatchObject({ git_status: "cloned" });

    const turns = [
      { tools: [{ name: "bash_exec", arguments: { command: "sh test.sh" } }] },
      { tools: [{ name: "write_file", arguments: { file_path: "src/answer.txt", content: "42\n" } }] },
      { tools: [{ name: "bash_exec", arguments: { command: "sh test.sh" } }] },
      { text: "It passes now." },
    ];
    const agent = await newTaskClient(service, { account: owner, projectId: project.id });
    const { task_id } = await agent.start(`\`\`\`demo\n${JSON.stringify(turns)}\n\`\`\``);
    const events = JSON.stringify(await agent.end(task_id));
    expect(events).toContain("1 failed");
    expect(events).toContain("1 passed");

    const pushed = await call<{ commit_hash: string }>("POST", "/api/git/commit", {
      project_id: project.id,
      message: "Correct the answer",
    });
    expect(pushed).toMatchObject({ status: 200, body: { status: "pushed" } });
    expect(git.log("app", "main")).toEqual(["Correct the answer", "first"]);
    expect(git.read("app", "main", "src/answer.txt")).toBe("42");
    expect(git.git("app", ["rev-parse", "main"])).toBe(pushed.body.commit_hash);
  });

  it("ends a command whose caller closes the connection", async () => {
    const { hostname, port } = new URL(service.url);
    const body = JSON.stringify({ project_id: project.id, command: ": > begun; sleep 600", timeout: 300 });
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `POST /api/agent/execute HTTP/1.1\r\nhost: service\r\nauthorization: Bearer ${owner.token}\r\n` +
          `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      ),
    );
    await vi.waitUntil(async () => "begun" in (await contents(project.id)));
    socket.destroy();
    const runs = await vi.waitUntil(async () => {
      const { body: history } = await call<api.ListCommandsAnswer>("GET", `/api/agent/history/${project.id}`);
      return history.commands.length > 0 && history.commands;
    });
    expect(runs).toMatchObject([{ success: false, exit_code: 130 }]);
  });

  it("is put away and brought back with every byte, link and mode", async () => {
    const { id } = project;
    const agent = await newTaskClient(service, { account: owner, projectId: id });
    const exec = async (command: string) => {
      const turns = [{ tools: [{ name: "bash_exec", arguments: { command } }] }, { text: "Done." }];
      const { task_id } = await agent.start(`\`\`\`demo\n${JSON.stringify(turns)}\n\`\`\``);
      return JSON.stringify(await agent.end(task_id));
    };
    await exec(
      'mkdir -p many "näme with space"; for n in $(seq 1 5); do echo "file $n" > many/$n.txt; done; ' +
        'printf "\\000\\001\\377" > "näme with space/bytes"; printf "#!/bin/sh\\necho ran" > run.sh; chmod 755 run.sh; ' +
        "ln -s ../src/answer.txt many/link; mkdir empty",
    );
    const before = await contents(id);
    expect(Object.keys(before).length).toBeGreaterThan(5);

    await call("POST", `/api/projects/${id}/stop`);
    await untilState(id, "hibernated");
    expect((await call("POST", `/api/projects/${id}/start`)).body).toMatchObject({ status: "starting" });
    await untilState(id, "running");

    expect(await contents(id)).toEqual(before);
    const told = await exec('stat -c "mode %a" run.sh; readlink many/link; ls -d empty; cat many/5.txt');
    expect(told).toContain("mode 755");
    expect(told).toContain("../src/answer.txt");
    expect(told).toContain("file 5");
    expect((await call("GET", `/api/projects/${id}/git/status`)).body).toMatchObject({
      branch: "main",
      last_commit: { message: expect.stringContaining("Correct the answer") },
    });
  });

  it("shows its dev server, hot reload socket included", async () => {
    const { id, slug } = project;
    await call("PUT", `/api/projects/${id}/files/server.mjs`, { content: DEV_SERVER });
    await call("POST", `/api/projects/${id}/containers`, {
      name: "web",
      project_id: id,
      directory: ".",
      startup_command: "node server.mjs",
    });
    await call("POST", `/api/projects/${id}/containers/start-all`);
    const { port } = new URL(service.url);
    const url = `http://${slug}--web.localhost:${port}/page?x=1`;
    const visitor = previewVisitor(service.url);
    const authorization = `Bearer ${owner.token}`;
    const answer = await vi.waitFor(
      async () => {
        const visit = await visitor.open(url, { authorization, cookie: "session=secret; theme=dark" });
        if (visit.status !== 200) throw new Error(`${visit.status} ${visit.text}`);
        return visit;
      },
      { interval: 200 },
    );
    const seen = JSON.parse(answer.text);
    expect(seen).toMatchObject({ url: "/page?x=1", headers: { cookie: "theme=dark" } });
    expect(seen.headers.host).toMatch(/^localhost:\d+$/u);
    expect(seen.headers).not.toHaveProperty("authorization");
    expect(answer.headers["set-cookie"]).toEqual(["app=1"]);

    const socket = await openSocket(service.url, url.replace("/page", "/hmr"), { authorization });
    socket.send("full-reload");
    expect(await socket.next()).toBe("heard full-reload");
    socket.close();

    await call("POST", `/api/projects/${id}/containers/restart-all`);
    const runAnew = async () => {
      const { status, text } = await visitor.open(url, { authorization });
      return status === 200 && JSON.parse(text).began > seen.began;
    };
    await expect.poll(runAnew, { interval: 200 }).toBe(true);
  });
});

/** Responds with the request that it got, and echoes over a WebSocket (RFC 6455, small frames only). */
const DEV_SERVER = String.raw`
import { createHash } from "node:crypto";
import { connect } from "node:net";
import http from "node:http";
const began = Date.now();
const server = http.createServer((request, response) => {
  response.setHeader("set-cookie", ["app=1; Domain=localhost", "session=forged"]);
  response.end(JSON.stringify({ began, url: request.url, headers: request.headers }));
});
server.on("upgrade", (request, socket) => {
  const accept = createHash("sha1")
    .update(request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
    .digest("base64");
  socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
    "Sec-WebSocket-Accept: " + accept + "\r\n\r\n");
  socket.on("data", (frame) => {
    const [, length] = frame;
    const mask = frame.subarray(2, 6);
    const text = Buffer.from(frame.subarray(6, 6 + (length & 127)).map((byte, index) => byte ^ mask[index % 4]));
    const said = Buffer.concat([Buffer.from("heard "), text]);
    socket.write(Buffer.concat([Buffer.from([0x81, said.length]), said]));
  });
});
server.listen(process.env.PORT, "127.0.0.1");
`;
