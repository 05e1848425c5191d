import { buffer } from "node:stream/consumers";
import { command } from "../../command.ts";
import { openService, projectOf } from "../../service.ts";
import { RemoteFiles } from "../../sync/remote-files.ts";

export const cat = command("cat", {
  description: "Print a file of the project",
  args: {
    path: { type: "positional", description: "Its path in the project" },
    project: { type: "string", alias: "p", description: "Id or slug of the project" },
  },
  async run(context, args) {
    const service = await openService(context);
    const project = await projectOf(context, service, args.project);
    const files = new RemoteFiles(service.workspace, project, new AbortController().signal);
    const { content } = await files.open(args.path);
    if (!context.output.json) {
      for await (const piece of content) await context.output.bytes(piece);
      return;
    }
    const bytes = await buffer(content);
    const text = textFrom(bytes);
    context.output.record(
      text === undefined
        ? { path: args.path, encoding: "base64", content: bytes.toString("base64") }
        : { path: args.path, encoding: "utf-8", content: text },
    );
  },
});

/** The bytes as text; undefined where they are none. */
function textFrom(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
