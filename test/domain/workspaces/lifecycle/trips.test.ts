import { afterAll, expect, it } from "vitest";
import { createContainer } from "#src/domain/workspaces/containers/index.ts";
import { requestStart, requestStop, requestStopAll, settleProject } from "#src/domain/workspaces/lifecycle/index.ts";
import { containerDeps } from "#test/support/container-deps.ts";
import { openDatabase } from "#test/support/database.ts";
import { newWorkshop } from "./workshop.ts";

const { db, trips, close } = await openDatabase();
afterAll(() => close());

async function counted(act: () => Promise<unknown>) {
  const before = trips.db;
  await act();
  return trips.db - before;
}

it("costs", async () => {
  for (const containers of [0, 1, 2]) {
    const project = await newWorkshop(db);
    const wish = { startupCommand: "run web" };
    for (let n = 0; n < containers; n += 1)
      await createContainer(containerDeps(project.deps), project.caller, project.id, { name: `web${n}`, ...wish });
    const once = async () => void (await project.settle());
    const out: Record<string, number> = {};
    out["request start"] = await counted(() => requestStart(project.deps, project.caller, project.id));
    out["start"] = await counted(once);
    out["request stop"] = await counted(() => requestStop(project.deps, project.caller, project.id));
    out["stop"] = await counted(once);
    await requestStart(project.deps, project.caller, project.id);
    out["wake"] = await counted(once);
    await requestStopAll(project.deps, project.caller, project.id);
    out["stop all"] = await counted(once);
    console.log(containers, JSON.stringify(out), (await project.row()).status);
  }
});
