import { expect, it } from "vitest";
import { requireBackgroundTask } from "#src/domain/workspaces/background-tasks/index.ts";
import { requestStop } from "#src/domain/workspaces/lifecycle/index.ts";
import { deleteProjectRow } from "#src/domain/workspaces/projects/queries/projects.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { fileDatabase } from "#test/support/database.ts";
import { newWorkshop } from "./workshop.ts";

const database = await fileDatabase();

it.each(["freeze", "discard"] as const)(
  "a project's executor neither ends nor advances the deletion that comes before its %s",
  async (moment) => {
    const project = await newWorkshop(database.db);
    const { deps, caller, id } = project;
    const deletion = { id: newId(), userId: caller.userId };
    const shown = () => requireBackgroundTask(deps, caller, deletion.id);
    let stored: Awaited<ReturnType<typeof shown>> | undefined;
    await requestStop(deps, caller, id);
    project.script.before[moment] = async () => {
      await deleteProjectRow(deps.db, await project.row(), deletion, undefined);
      stored = await shown();
      if (moment === "freeze") throw new AppError("not_found", "Project not found");
    };
    await project.deliver();
    expect(stored).toMatchObject({ type: "project_deletion", status: "running" });
    expect(await shown()).toEqual(stored);
  },
);
