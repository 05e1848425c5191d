import { useRef } from "preact/hooks";
import { textOf } from "../../parts/form-text.ts";
import { Heading } from "../../parts/heading.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { useLeadOn } from "../../parts/use-lead-on.ts";
import { keys, stale, useModels } from "../../service/reads.ts";
import { useMayMake } from "../../service/roles.ts";
import { workspace } from "../../service/workspace.ts";
import { Model } from "./model.tsx";
import { createProject, sourceOf, type Progress } from "./create-project.ts";

/** From nothing to a first answer: a project and its first message. */
export function FirstRunPage({ begun }: { begun?: () => void }) {
  const mayMake = useMayMake();
  return (
    <div class="narrow">
      <Heading>New project</Heading>
      {mayMake === false ? (
        <p class="notice">
          You are a viewer of this team. Its editors and administrators can create projects.
        </p>
      ) : (
        <Form begun={begun} />
      )}
    </div>
  );
}

function Form({ begun }: { begun: (() => void) | undefined }) {
  const leadOn = useLeadOn();
  const { data: models } = useModels();
  const progress = useRef<Progress>({ messageKey: crypto.randomUUID() });
  const { run, isBusy, error } = useAction(async (form: FormData) => {
    const beginning = {
      name: textOf(form, "name"),
      source: sourceOf(textOf(form, "repository")),
      message: textOf(form, "message"),
    };
    const { project, chatId } = await createProject(workspace, beginning, progress.current);
    stale(keys.projects, keys.sidebar);
    leadOn(`/projects/${project}/chats/${chatId}`);
  });
  return (
    <>
      <p class="muted">
        A project is a folder of files with an agent that works in it. Start empty, or from a git repository.
      </p>
      {models && <Model name={models.default} />}
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          begun?.();
          run(new FormData(event.currentTarget));
        }}
      >
        <div class="field">
          <label for="name">Name</label>
          <input
            id="name"
            name="name"
            required
            maxLength={100}
            autocomplete="off"
            defaultValue="First project"
          />
        </div>
        <div class="field">
          <label for="repository">Git repository (optional)</label>
          <input
            id="repository"
            name="repository"
            type="url"
            maxLength={2_000}
            placeholder="https://github.com/owner/name"
          />
        </div>
        <div class="field">
          <label for="message">What should the agent do?</label>
          <textarea
            id="message"
            name="message"
            required
            rows={4}
            maxLength={60_000}
            defaultValue="Create a file hello.txt that says hello, and tell me what you did."
          />
        </div>
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? "Creating project…" : "Create project"}
        </button>
        {error !== undefined && <Refused error={error} />}
      </form>
    </>
  );
}
