import type { Context } from "../context.ts";
import type { Service } from "../service.ts";

/**
 * The target that the person chooses; undefined where there is no choice. It is asked for before the shell begins, while the
 * terminal still passes lines. Throws `UsageError` when nothing may be asked.
 */
export async function chooseTarget(
  context: Context,
  { workspace }: Service,
  project: string,
): Promise<string | undefined> {
  const { targets, actions } = await workspace.request("GET", "/api/terminal/{project}/targets", {
    path: { project },
  });
  if (targets.length < 2) return undefined;
  const choices = [
    ...targets.map(({ id, name, status, container_directory: folder }) => ({
      value: id,
      label: name,
      hint: [status, folder].filter(Boolean).join(", "),
    })),
    ...actions.map(({ id, name, description }) => ({ value: id, label: name, hint: description })),
  ];
  const ids = choices.map(({ value }) => value).join(", ");
  return context.input.choose("Where?", choices, `Name the target with --target, one of ${ids}`);
}
