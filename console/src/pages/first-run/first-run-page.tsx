import { useRef, useState } from "preact/hooks";
import { Choice, NamedOptions } from "../../parts/fields.tsx";
import { textOf } from "../../parts/form-text.ts";
import { Heading } from "../../parts/heading.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { useLeadOn } from "../../parts/use-lead-on.ts";
import { choose } from "../../service/choices.ts";
import type { KeyTest } from "../../service/model-keys.ts";
import { keys, stale, useModels } from "../../service/reads.ts";
import { useMayMake } from "../../service/roles.ts";
import { workspace } from "../../service/workspace.ts";
import { createProject, sourceOf, type Progress } from "./create-project.ts";
import { defaultName, firstModel, Model, ownModels } from "./model.tsx";

/** What shows most of what an agent does here. The demo model knows them, too. */
const STARTERS = [
  {
    name: "A web page",
    repository: "",
    message:
      "Build a to-do list as one web page without a server, in index.html. Tell me how to look at it in the preview.",
  },
  {
    name: "A tested function",
    repository: "",
    message:
      "Write a shell function in duration.sh that turns durations such as 1h30m into seconds, with tests in duration.test.sh. Run them, and show me what they print.",
  },
  {
    name: "A repository to explain",
    repository: "https://github.com/octocat/Spoon-Knife",
    message:
      "Read the files of this project, and explain in a few sentences what it is, where to begin, and what you would do next.",
  },
] as const;
/** What a starter may replace: nothing, and what another one has filled in. */
const SAMPLES = new Set<string>(STARTERS.map(({ repository }) => repository));

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
  const repository = useRef<HTMLInputElement>(null);
  const [test, setTest] = useState<KeyTest>();
  const own = models ? ownModels(models, test?.models ?? []) : [];
  const first = models && firstModel(models, own);
  const progress = useRef<Progress>({ messageKey: crypto.randomUUID() });
  const { run, isBusy, error } = useAction(async (form: FormData) => {
    const model = own.find(({ id }) => id === textOf(form, "model"));
    const beginning = {
      name: textOf(form, "name"),
      source: sourceOf(textOf(form, "repository")),
      message: textOf(form, "message"),
      ...(model && { model: model.id }),
    };
    const { project, chatId } = await createProject(workspace, beginning, progress.current);
    if (model) choose(project, { model });
    stale(keys.projects, keys.sidebar);
    leadOn(`/projects/${project}/chats/${chatId}`);
  });
  return (
    <>
      <p class="muted">
        A project is a folder of files with an agent that works in it. Start empty, or from a git repository.
      </p>
      {models && <Model models={models} own={own} test={test} stored={setTest} />}
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
            ref={repository}
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
            {STARTERS.map(({ name, message: text, repository: address }) => (
              <button
                key={name}
                type="button"
                class="small"
                onClick={() => {
                  if (message.current) message.current.value = text;
                  const field = repository.current;
                  if (field && SAMPLES.has(field.value)) field.value = address;
                }}
              >
                {name}
              </button>
            ))}
          </div>
        </div>
        {models && own.length > 0 && (
          // Another list is another choice.
          <Choice key={first} label="Model" name="model">
            <option value="">Default: {defaultName(models)}</option>
            <NamedOptions of={own} chosen={first} />
          </Choice>
        )}
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? "Creating project…" : "Create project"}
        </button>
        {error !== undefined && <Refused error={error} />}
      </form>
    </>
  );
}
