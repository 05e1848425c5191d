import { ActionButton } from "../../parts/action-button.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { NamedOptions } from "../../parts/fields.tsx";
import { textOf } from "../../parts/form-text.ts";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { useLeadOn } from "../../parts/use-lead-on.ts";
import {
  keys,
  stale,
  useModels,
  useProjectAgents,
  useProjects,
  type ListedChat,
} from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

/** The agent or model of a chat stays what it is while this value is chosen. */
const UNCHANGED = "";
const DEFAULT = "default";

function refresh(): void {
  stale(keys.sidebar, keys.projects);
}

/** What can be changed of a chat. */
export function Form({ project, chat, close }: { project: string; chat: ListedChat; close: () => void }) {
  const leadOn = useLeadOn();
  const { data: projects } = useProjects();
  const { data: agents } = useProjectAgents(project);
  const { data: models } = useModels();
  const here = projects?.find(({ id, slug }) => id === project || slug === project);
  const isArchived = chat.status === "archived";
  const saving = useAction(async (form: FormData) => {
    const [agent, model, place] = ["agent", "model", "place"].map((name) => textOf(form, name));
    await workspace.chats.update(chat.id, {
      title: textOf(form, "title") || null,
      ...(agent && { agent_id: agent === DEFAULT ? null : agent }),
      ...(model && { model: model === DEFAULT ? null : model }),
    });
    const target = projects?.find(({ id }) => id === place);
    if (target && target.id !== here?.id) {
      const path = { chat: chat.id };
      await workspace.request("PATCH", "/api/chat/{chat}/project", { path, body: { project_id: target.id } });
      leadOn(`/projects/${target.slug}/chats/${chat.id}`);
    }
    refresh();
    close();
  });
  return (
    <>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          saving.run(new FormData(event.currentTarget));
        }}
      >
        <h2 id="chat-settings">Chat settings</h2>
        <div class="field">
          <label for="chat-title">Name</label>
          <input id="chat-title" name="title" maxLength={200} defaultValue={chat.title ?? ""} />
        </div>
        {chat.is_own && (
          <>
            <div class="field">
              <label for="chat-agent">Agent</label>
              <select id="chat-agent" name="agent">
                <option value={UNCHANGED}>No change</option>
                <option value={DEFAULT}>Default agent</option>
                <NamedOptions of={agents} />
              </select>
            </div>
            <div class="field">
              <label for="chat-model">Model</label>
              <select id="chat-model" name="model">
                <option value={UNCHANGED}>No change</option>
                <option value={DEFAULT}>The agent's model</option>
                <NamedOptions of={models?.models} />
              </select>
            </div>
            <div class="field">
              <label for="chat-place">Project</label>
              <select id="chat-place" name="place" defaultValue={here?.id ?? ""}>
                <NamedOptions of={projects} chosen={here?.id} />
              </select>
            </div>
          </>
        )}
        {saving.error !== undefined && <Refused error={saving.error} />}
        <div class="row">
          <button type="submit" class="primary" disabled={saving.isBusy}>
            Save
          </button>
          <button type="button" onClick={close}>
            Close
          </button>
        </div>
      </form>
      <h3>Archive or delete</h3>
      <div class="row">
        <ActionButton
          work={async () => {
            await workspace.chats.update(chat.id, { status: isArchived ? "active" : "archived" });
            refresh();
            close();
          }}
        >
          {isArchived ? "Unarchive" : "Archive"}
        </ActionButton>
        <AskFirst
          label="Delete…"
          title="Delete this chat?"
          confirm="Delete chat"
          work={async () => {
            await workspace.chats.delete(chat.id);
            refresh();
            leadOn(`/projects/${project}`);
          }}
        >
          <p>Its messages are deleted for good. Files that the agent changed stay as they are.</p>
        </AskFirst>
      </div>
    </>
  );
}
