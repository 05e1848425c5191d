import { afterAll, expect, it } from "vitest";
import { createChat } from "#src/domain/agent-work/chats/index.ts";
import { listProjects, requireProject } from "#src/domain/workspaces/projects/index.ts";
import { openDatabase } from "#test/support/database.ts";
import { newMember } from "#test/support/colleagues.ts";
import { newPerson } from "#test/support/people.ts";

const database = await openDatabase();
afterAll(() => database.close());

it("the workspace that a chat about no project makes is private", async () => {
  const owner = await newPerson(database.db);
  const colleague = await newMember(database.db, owner.user.defaultTeamId ?? "", "editor");
  const { projectId } = await createChat(database, owner.caller, { project: undefined, title: undefined });
  const workspace = await requireProject(database, owner.caller, projectId, "project.view");
  expect(workspace.visibility).toBe("private");
  await expect(requireProject(database, colleague.caller, projectId, "project.view")).rejects.toMatchObject({
    code: "not_found",
  });
  expect(await listProjects(database, colleague.caller, {})).toEqual([]);
});
