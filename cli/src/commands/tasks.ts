import type { api } from "@agent-workspace/client";
import { command } from "../command.ts";
import { openService, projectIdOf } from "../service.ts";

export const tasks = command("tasks", {
  description: "List your tasks, newest first",
  args: {
    project: { type: "string", alias: "p", description: "Id or slug of the project" },
    active: { type: "boolean", description: "Only those that wait or run" },
    limit: { type: "string", default: "20", description: "Most tasks" },
  },
  async run(context, args) {
    const service = await openService(context);
    const projectId =
      args.project === undefined ? undefined : await projectIdOf(context, service, args.project);
    const { items } = await service.workspace.tasks.list({
      limit: Number(args.limit),
      ...(projectId !== undefined && { project_id: projectId }),
      ...(args.active && { active_only: "true" as const }),
    });
    context.output.list(
      items,
      [
        { title: "task", text: ({ task_id }) => task_id },
        { title: "status", text: statusOf },
        { title: "created", text: ({ created_at }) => created_at },
        { title: "message", text: ({ message_preview }) => message_preview },
      ],
      "There are no tasks.",
    );
  },
});

/** As the console calls it: a task that asks does not work until a person has answered. */
function statusOf({ task_id, status, waiting_for }: api.TaskListItem): string {
  const asks = waiting_for?.task_id === task_id && waiting_for.approval_id !== null;
  return asks ? "needs your input" : status;
}
