import { WorkspaceError, type Workspace } from "@agent-workspace/client";

type Source = { source_type: "empty" } | { source_type: "github"; git_repo_url: string };

export interface Beginning {
  readonly name: string;
  readonly source: Source;
  readonly message: string;
  /** Id of the model that answers; the default one when absent. */
  readonly model?: string;
}

const LOOK_MS = 1_000;
/** A large repository takes minutes: the looks become rarer, down to this. */
const RARE_MS = 15_000;

/** Nothing, or a copy of the repository at an address of any git host. */
export function sourceOf(repository: string): Source {
  return repository === "" ? { source_type: "empty" } : { source_type: "github", git_repo_url: repository };
}

/** What is there already of a beginning that was refused on its way: a repetition goes on from it. */
export interface Progress {
  project?: { id: string; slug: string };
  chatId?: string;
  /** Names the first message, so that it is one task however often it is sent. */
  readonly messageKey: string;
}

/** Makes a project, waits until its files are there, and starts the agent on its first message. */
export async function createProject(
  workspace: Workspace,
  { name, source, message, model }: Beginning,
  progress: Progress,
): Promise<{ project: string; chatId: string }> {
  const { id, slug } = (progress.project ??= await workspace.projects.create({ name, ...source }));
  for (let pause = LOOK_MS; ; pause = Math.min(RARE_MS, pause * 1.2)) {
    const { status, error } = await workspace.projects.get(id);
    if (status === "failed") {
      delete progress.project;
      throw new WorkspaceError(error ?? "The project could not be made");
    }
    if (status !== "initializing") break;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  progress.chatId ??= (await workspace.chats.create({ project_id: id })).id;
  const { chatId, messageKey } = progress;
  // The answer begins when the message is stored; its events come over the page's own connection.
  const begun = await workspace.response("POST", "/api/chat/agent/stream", {
    body: { project_id: id, chat_id: chatId, message, edit_mode: "ask", ...(model && { model }) },
    idempotencyKey: messageKey,
  });
  await begun.body?.cancel();
  return { project: slug, chatId };
}
