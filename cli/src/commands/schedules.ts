import { command, group } from "../command.ts";
import { openAsPerson, projectIdOf } from "../service.ts";

const schedule = { type: "positional", description: "Id of the schedule" } as const;

const list = command("list", {
  description: "List your schedules",
  async run(context) {
    const { workspace } = await openAsPerson(context, "A list of schedules");
    context.output.list(
      await workspace.request("GET", "/api/schedules"),
      [
        { title: "id", text: ({ id }) => id },
        { title: "name", text: ({ name }) => name },
        { title: "when", text: ({ description }) => description },
        { title: "next", text: ({ next_run_at, paused }) => (paused ? "paused" : next_run_at) },
        { title: "last", text: ({ last_status }) => last_status },
      ],
      "You have no schedules. `workspace schedules create` makes one.",
    );
  },
});

const create = command("create", {
  description: "Have an agent work at set times",
  args: {
    name: { type: "positional", description: "Name of the schedule" },
    when: { type: "string", required: true, description: "As `0 9 * * 1-5`, or `every day at 9`" },
    message: { type: "string", alias: "m", required: true, description: "What the agent is to do" },
    project: { type: "string", alias: "p", description: "Id or slug of the project" },
    timezone: { type: "string", description: "IANA name; UTC when absent" },
    deliver: { type: "string", description: "Where the answer goes, as slack:C0123456789, telegram or none" },
  },
  async run(context, args) {
    const service = await openAsPerson(context, "A new schedule");
    const made = await service.workspace.request("POST", "/api/schedules", {
      body: {
        project_id: await projectIdOf(context, service, args.project),
        name: args.name,
        schedule: args.when,
        prompt_template: args.message,
        ...(args.timezone !== undefined && { timezone: args.timezone }),
        ...(args.deliver !== undefined && { deliver: args.deliver }),
      },
    });
    context.output.show(made, `Created ${made.id}: ${made.description}, next ${made.next_run_at ?? "never"}`);
  },
});

const runs = command("runs", {
  description: "List a schedule's runs",
  args: { schedule },
  async run(context, args) {
    const { workspace } = await openAsPerson(context, "A list of runs");
    context.output.list(
      await workspace.request("GET", "/api/schedules/{schedule_id}/runs", {
        path: { schedule_id: args.schedule },
      }),
      [
        { title: "time", text: ({ created_at }) => created_at },
        { title: "status", text: ({ status }) => status },
        { title: "task", text: ({ task_id }) => task_id },
        { title: "error", text: ({ error }) => error },
      ],
      "It has not run yet.",
    );
  },
});

const pause = command("pause", {
  description: "Pause a schedule",
  args: { schedule },
  async run(context, args) {
    const { workspace } = await openAsPerson(context, "Pausing");
    const path = { schedule_id: args.schedule };
    const paused = await workspace.request("POST", "/api/schedules/{schedule_id}/pause", { path });
    context.output.show(paused, "Paused");
  },
});

const resume = command("resume", {
  description: "Resume a schedule",
  args: { schedule },
  async run(context, args) {
    const { workspace } = await openAsPerson(context, "Resuming");
    const path = { schedule_id: args.schedule };
    const resumed = await workspace.request("POST", "/api/schedules/{schedule_id}/resume", { path });
    context.output.show(resumed, `Resumed, next ${resumed.next_run_at ?? "never"}`);
  },
});

const trigger = command("trigger", {
  description: "Run a schedule now",
  args: { schedule },
  async run(context, args) {
    const { workspace } = await openAsPerson(context, "Running it");
    const path = { schedule_id: args.schedule };
    const started = await workspace.request("POST", "/api/schedules/{schedule_id}/trigger", { path });
    context.output.show(started, "It runs now");
  },
});

const remove = command("delete", {
  description: "Delete a schedule",
  args: { schedule, yes: { type: "boolean", alias: "y", description: "Do not ask" } },
  async run(context, args) {
    const { workspace } = await openAsPerson(context, "Deleting");
    await context.input.confirm(`Delete ${args.schedule}?`, { yes: args.yes === true });
    await workspace.request("DELETE", "/api/schedules/{schedule_id}", {
      path: { schedule_id: args.schedule },
    });
    context.output.show({ deleted: args.schedule }, `Deleted ${args.schedule}`);
  },
});

export const schedules = group(
  "schedules",
  "List, create and pause schedules",
  { list, create, runs, pause, resume, trigger, delete: remove },
  "list",
);
