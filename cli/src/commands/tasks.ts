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
        { title: "status", text: ({ status }) => status },
        { title: "created", text: ({ created_at }) => created_at },
        { title: "message", text: ({ message_preview }) => message_preview },
      ],
      "There are no tasks.",
    );
  },
});
