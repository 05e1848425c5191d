import type { api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { textOf } from "../../parts/form-text.ts";
import { ProjectChoice } from "../../parts/project-choice.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { useProjects } from "../../service/reads.ts";
import { useMayEdit } from "../../service/roles.ts";
import { AgentField } from "./agent-field.tsx";
import { DeliverFields, deliverOf, targetsOf } from "./deliver-fields.tsx";
import { NextRuns } from "./next-runs.tsx";

const EDIT_MODES = {
  allow: "Allow all: work without asking",
  ask: "Ask first: before changes and commands",
  plan: "Plan only: change nothing",
} as const;
const OVERLAPS = {
  skip: "Skip the new run",
  queue: "Run it afterwards",
  allow: "Run both at once",
} as const;
const CATCH_UPS = { once: "Run once, late", skip: "Skip them" } as const;

/** What the form is filled with. */
export interface ScheduleInput {
  name: string;
  project_id: string;
  /** Empty for the default agent; absent where it stays. */
  agent_id?: string;
  schedule: string;
  timezone: string;
  prompt_template: string;
  deliver: string;
  edit_mode: api.Schedule["edit_mode"];
  overlap: api.Schedule["overlap"];
  catch_up: api.Schedule["catch_up"];
  /** 0 for no end. */
  repeat: number;
}

const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

function chosen<Choice extends string>(
  form: FormData,
  name: string,
  choices: Record<Choice, string>,
): Choice {
  const isChoice = (text: string): text is Choice => text in choices;
  const text = textOf(form, name);
  if (isChoice(text)) return text;
  throw new TypeError(`${name} has no choice`);
}

/** The form of a schedule, new or to be changed; the project of one that exists stays. */
export function ScheduleForm({
  of,
  button,
  save,
}: {
  of?: api.Schedule;
  button: string;
  save: (wish: ScheduleInput) => Promise<unknown>;
}) {
  const { data: projects = [] } = useProjects();
  const [picked, setProject] = useState<string>();
  const project = of?.project_id ?? picked ?? (projects.length === 1 ? projects[0]?.id : undefined) ?? "";
  const mayEdit = useMayEdit(project);
  const [schedule, setSchedule] = useState(of?.schedule ?? "");
  const [timezone, setTimezone] = useState(of?.timezone ?? ownZone());
  const agent = of?.agent_id ?? "";
  const saving = useAction((form: FormData) => {
    const agentNow = textOf(form, "agent");
    return save({
      name: textOf(form, "name"),
      project_id: project,
      ...(form.has("agent") && agentNow !== agent && { agent_id: agentNow }),
      schedule: schedule.trim(),
      timezone: timezone.trim(),
      prompt_template: textOf(form, "prompt"),
      deliver: deliverOf(form),
      edit_mode: chosen(form, "edit_mode", EDIT_MODES),
      overlap: chosen(form, "overlap", OVERLAPS),
      catch_up: chosen(form, "catch_up", CATCH_UPS),
      repeat: Number(textOf(form, "repeat")),
    });
  });
  return (
    <form
      class="form narrow"
      onSubmit={(event) => {
        event.preventDefault();
        saving.run(new FormData(event.currentTarget));
      }}
    >
      <div class="field">
        <label for="name">Name</label>
        <input
          id="name"
          name="name"
          required
          maxLength={200}
          autocomplete="off"
          defaultValue={of?.name ?? ""}
        />
      </div>
      {of === undefined && (
        <ProjectChoice id="project" label="Project" value={project} onChoose={setProject} />
      )}
      {project !== "" && <AgentField key={project} project={project} value={agent} />}
      <div class="field">
        <label for="prompt">Prompt</label>
        <textarea
          id="prompt"
          name="prompt"
          required
          rows={4}
          aria-describedby="prompt-hint"
          defaultValue={of?.prompt_template ?? ""}
        />
        <span id="prompt-hint" class="muted small">
          {"{date}, {time}, {weekday} and {schedule_name} are replaced in each run."}
        </span>
      </div>
      <div class="field">
        <label for="schedule">When</label>
        <input
          id="schedule"
          required
          maxLength={200}
          autocomplete="off"
          placeholder="weekdays at 9am"
          aria-describedby="schedule-hint"
          value={schedule}
          onInput={({ currentTarget }) => setSchedule(currentTarget.value)}
        />
        <span id="schedule-hint" class="muted small">
          For example “every 30m”, “weekdays at 9am”, “monthly on the 15 at 8am”, “tomorrow at 9am”, or cron:
          0 9 * * 1-5
        </span>
      </div>
      <div class="field">
        <label for="timezone">Time zone</label>
        <input
          id="timezone"
          required
          maxLength={100}
          autocomplete="off"
          list="timezones"
          value={timezone}
          onInput={({ currentTarget }) => setTimezone(currentTarget.value)}
        />
        <datalist id="timezones">
          {["UTC", ...Intl.supportedValuesOf("timeZone")].map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </div>
      <NextRuns schedule={schedule} timezone={timezone} />
      <DeliverFields
        targets={targetsOf(of?.deliver ?? "origin")}
        hasOrigin={(of?.origin_platform ?? null) !== null}
      />
      <details>
        <summary>More options</summary>
        <div class="form">
          <Choice name="edit_mode" label="Mode" choices={EDIT_MODES} value={of?.edit_mode} />
          <Choice
            name="overlap"
            label="If the previous run has not ended"
            choices={OVERLAPS}
            value={of?.overlap}
          />
          <Choice
            name="catch_up"
            label="Runs missed while the service was off"
            choices={CATCH_UPS}
            value={of?.catch_up}
          />
          <div class="field">
            <label for="repeat">End after this many runs (0: never)</label>
            <input
              id="repeat"
              name="repeat"
              type="number"
              min={0}
              max={1_000_000}
              defaultValue={of?.repeat ?? 0}
            />
          </div>
        </div>
      </details>
      <button type="submit" class="primary" disabled={saving.isBusy || mayEdit === false}>
        {button}
      </button>
      {saving.error !== undefined && <Refused error={saving.error} />}
    </form>
  );
}

function Choice({
  name,
  label,
  choices,
  value,
}: {
  name: string;
  label: string;
  choices: Readonly<Record<string, string>>;
  value: string | undefined;
}) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        {Object.entries(choices).map(([choice, words]) => (
          <option key={choice} value={choice} selected={choice === value}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}
