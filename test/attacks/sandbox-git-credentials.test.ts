import { expect, it } from "vitest";
import type { ProjectSandbox } from "#durable-objects/project-sandbox/index.ts";
import type { GitOperations } from "#src/git/protocol.ts";
import { ERROR_HEADER } from "#src/platform/runtime/http-runtime/protocol.ts";
import { sandboxWorkspaces } from "#src/platform/runtime/sandbox/index.ts";

const SECRET = "ghp-a-token-that-nobody-may-read";
const remote = { url: "https://git.example/a/b", auth: { username: "x-token", password: SECRET } };
const author = { name: "A", email: "a@example.com" };

/** Everything that was sent to the object, and so to the container. */
const sent: string[] = [];
let line = '{"ok":true,"value":{}}';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that the driver uses of an object is `fetch`
const namespace = {
  getByName: () => ({
    fetch: async (url: string, init: RequestInit) => {
      const request = new Request(url, init);
      sent.push(JSON.stringify([url, ...request.headers]) + (await request.text()));
      return new Response(`${line}\n`);
    },
  }),
} as unknown as DurableObjectNamespace<ProjectSandbox>;
const project = sandboxWorkspaces(namespace, { db: 0, publish: 0, objects: 0 }).runtime("project");

/** Every operation that speaks to a remote. */
const READING = {
  clone: { remote, branch: "main", term: 1 },
  probe: { remote },
  pull: { remote, remoteName: "origin", author },
  fetch: { remote, remoteName: "origin", branch: "main" },
} satisfies { [Name in "clone" | "probe" | "pull" | "fetch"]: GitOperations[Name]["input"] };

const operations = ["clone", "probe", "pull", "fetch"] as const;

it.each(operations)(
  "%s takes no credentials into a container whose programs could read them",
  async (name) => {
    sent.length = 0;
    line = '{"ok":true,"value":{}}';
    await project.git(name, READING[name]);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toContain(remote.url);
    expect(sent[0]).not.toContain(SECRET);
    expect(sent[0]).not.toContain(remote.auth.username);
  },
);

it.each(operations)("%s of a private repository is refused with a sentence that says why", async (name) => {
  line = '{"ok":false,"code":"unauthenticated","message":"connect your account"}';
  await expect(project.git(name, READING[name])).rejects.toMatchObject({
    code: "forbidden",
    status: 403,
    message: expect.stringContaining("only public repositories"),
  });
});

it("a push is refused, and nothing of it leaves the service", async () => {
  sent.length = 0;
  const push = project.git("push", { remote, remoteName: "origin", force: false });
  await expect(push).rejects.toMatchObject({
    code: "forbidden",
    message: expect.stringContaining("nothing can be pushed"),
  });
  expect(sent).toEqual([]);
});

it("other failures, and what speaks to no remote, are as they were", async () => {
  line = '{"ok":false,"code":"conflict","message":"There is nothing to commit"}';
  await expect(project.git("status", {})).rejects.toMatchObject({ code: "conflict" });
  expect(sent.at(-1)).not.toContain(ERROR_HEADER);
  line = '{"ok":true,"value":{"remotes":[]}}';
  await expect(project.git("remotes", {})).resolves.toEqual({ remotes: [] });
});
