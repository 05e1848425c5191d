import { describe, expect, it } from "vitest";
import { targetOf, type ReachDeps } from "#src/domain/agent-work/mcp/target.ts";
import { AppError } from "#src/lib/errors.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { partOf } from "#test/support/part-of.ts";

const CREDENTIALS = { headers: { authorization: "Bearer a" }, tokens: undefined };
const OWN = { name: "own", url: "http://localhost:4311/mcp", projectId: "a-project" };

/** The requests that reach the ports of projects. */
function world({ runsProcesses = true, failure }: { runsProcesses?: boolean; failure?: AppError } = {}) {
  const reached: string[] = [];
  const runtime = (projectId: string) =>
    partOf<ProjectRuntime>({
      runsProcesses,
      async fetchPort(port, request) {
        if (failure) throw failure;
        reached.push(`${projectId} ${port} ${request.method} ${request.url} ${await request.text()}`);
        return new Response("here", { status: 307, headers: { location: "http://localhost:22/" } });
      },
    });
  return { deps: partOf<ReachDeps>({ workspaces: { runtime } }), reached };
}

describe("a server of scope project at http://localhost", () => {
  it("is reached through its own project, at its own port alone", async () => {
    const { deps, reached } = world();
    const { fetch: send } = targetOf(deps, OWN, CREDENTIALS);
    await send?.("http://localhost:4311/mcp", { method: "POST", body: "hello" });
    expect(reached).toEqual(["a-project 4311 POST http://localhost:4311/mcp hello"]);
    const others = ["http://localhost:22/", "http://localhost/", "http://127.0.0.1:4311/", "https://x.test/"];
    for (const url of others) await expect(send?.(url)).rejects.toMatchObject({ code: "invalid_input" });
    expect(reached).toHaveLength(1);
  });

  it.each([
    [
      new AppError("unavailable", "No program responds"),
      /^Nothing answers on port 4311 of the project: start/u,
    ],
    [new AppError("asleep", "The project is hibernated"), /^The project is asleep: start it/u],
    [new AppError("forbidden", "Port 3000 is the runtime's own"), /^Port 3000 is the runtime's own$/u],
  ])("that cannot be reached says what to do: %s", async (failure, message) => {
    const { fetch: send } = targetOf(world({ failure }).deps, OWN, CREDENTIALS);
    const expected = { code: "unavailable", message: expect.stringMatching(message) };
    await expect(send?.(OWN.url)).rejects.toMatchObject(expected);
  });

  it("is not reached where no programs run in projects", async () => {
    const { deps, reached } = world({ runsProcesses: false });
    const { fetch: send } = targetOf(deps, OWN, CREDENTIALS);
    await expect(send?.(OWN.url)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("No programs run in projects here"),
    });
    expect(reached).toEqual([]);
  });
});

it.each([
  { ...OWN, projectId: null },
  { ...OWN, url: "https://localhost:4311/mcp" },
  { ...OWN, url: "http://127.0.0.1:4311/mcp" },
  { ...OWN, url: "http://localhost.example.com/mcp" },
  { ...OWN, url: "http://localhost.:4311/mcp" },
])("a server elsewhere is reached as any other address: %o", (place) => {
  expect(targetOf(world().deps, place, CREDENTIALS).fetch).toBeUndefined();
});
