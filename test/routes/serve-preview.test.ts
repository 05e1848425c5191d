import { describe, expect, it } from "vitest";
import type { Preview } from "#src/domain/workspaces/previews/index.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { servePreview } from "#src/routes/previews/serve-preview.ts";

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a program's preview is shown by
const preview = {
  container: { status: "running", startupCommand: "node .", internalPort: 3000, deploymentMode: "container" },
  project: { id: "p", status: "running", wanted: null },
} as unknown as Preview;

/** Request a path of a preview on its own host, whose program responds with this. */
async function ask(path: string, answer: Response): Promise<{ asked: string; response: Response }> {
  let asked = "";
  const fetchPort: ProjectRuntime["fetchPort"] = async (_, request) => {
    asked = request.url;
    return answer;
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is asked
  const runtime = { runsProcesses: true, fetchPort } as ProjectRuntime;
  const response = await servePreview(
    { workspaces: { runtime: () => runtime, destroy: async () => undefined }, log: createLog() },
    preview,
    new Request("http://app--web.example.com/"),
    { base: "/", path, cookies: true, stripAuthorization: false },
  );
  return { asked, response };
}

describe("a program behind a preview", () => {
  it("is asked for the path as it is, also one that looks like another host", async () => {
    for (const path of ["//elsewhere.example/x", "//[/", "/a"]) {
      expect((await ask(path, new Response("yes"))).asked).toBe(`http://localhost:3000${path}`);
    }
  });

  it("leads to no other host when it redirects to its own", async () => {
    const location = "http://localhost:3000//elsewhere.example/x?y=1";
    const { response } = await ask("/", new Response(null, { status: 302, headers: { location } }));
    expect(response.headers.get("location")).toBe("/elsewhere.example/x?y=1");
  });

  it("is a 502 when the program's status is invalid", async () => {
    const odd = Object.defineProperty(new Response("x"), "status", { value: 999 });
    expect((await ask("/", odd)).response.status).toBe(502);
  });
});
