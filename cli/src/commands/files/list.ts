import { command } from "../../command.ts";
import { numberOf, objectOf, objectsOf, textOf } from "../../json.ts";
import { openService, projectOf } from "../../service.ts";

export const list = command("ls", {
  description: "List the project's files",
  args: {
    path: { type: "positional", required: false, description: "Only below this folder" },
    all: { type: "boolean", alias: "a", description: "Also generated and binary files" },
    project: { type: "string", alias: "p", description: "Id or slug of the project" },
  },
  async run(context, args) {
    const service = await openService(context);
    const project = await projectOf(context, service, args.project);
    const answer = await service.workspace.request("GET", "/api/projects/{project}/files/tree", {
      path: { project },
      query: { all: String(args.all === true), ...(args.path !== undefined && { container_dir: args.path }) },
    });
    const entries = objectsOf(objectOf(answer)["files"]).map((entry) => ({
      path: textOf(entry, "path") ?? "",
      is_dir: entry["is_dir"] === true,
      size: numberOf(entry, "size") ?? 0,
      modified_at: momentOf(numberOf(entry, "mod_time")),
      etag: textOf(entry, "etag") ?? null,
    }));
    context.output.list(
      entries,
      [
        { title: "size", text: ({ is_dir, size }) => (is_dir ? "" : size) },
        { title: "changed", text: ({ modified_at }) => modified_at },
        { title: "path", text: ({ path, is_dir }) => (is_dir ? `${path}/` : path) },
      ],
      "There are no files.",
    );
  },
});

/** The time of seconds since the epoch; null for what is no time. */
function momentOf(seconds: number | undefined): string | null {
  const date = new Date((seconds ?? Number.NaN) * 1000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
