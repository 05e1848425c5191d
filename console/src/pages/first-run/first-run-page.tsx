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

/** What shows most of what an agent does here. The demo model knows them, too. */
const STARTERS = [
  {
    name: "A web page",
    message:
      "Build a to-do list as one web page without a server, in index.html. Tell me how to look at it in the preview.",
  },
  {
    name: "A tested function",
    message:
      "Write a shell function in duration.sh that turns durations such as 1h30m into seconds, with tests in duration.test.sh. Run them, and show me what they print.",
  },
  {
    name: "An explanation",
    message:
      "Read the files of this project, and explain in a few sentences what it is, where to begin, and what you would do next.",
  },
] as const;

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
  const message = useRef<HTMLTextAreaElement>(null);
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
            ref={message}
            id="message"
            name="message"
            required
            rows={4}
            maxLength={60_000}
            defaultValue="Create a file hello.txt that says hello, and tell me what you did."
          />
          <div class="row" role="group" aria-label="Something to begin with">
            {STARTERS.map(({ name, message: text }) => (
              <button
                key={name}
                type="button"
                class="small"
                onClick={() => {
                  if (message.current) message.current.value = text;
                }}
              >
                {name}
              </button>
            ))}
          </div>
        </div>
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? "Creating project…" : "Create project"}
        </button>
        {error !== undefined && <Refused error={error} />}
      </form>
    </>
  );
}
