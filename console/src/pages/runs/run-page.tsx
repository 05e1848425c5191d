import { Link } from "wouter-preact";
import { AskFirst } from "../../parts/ask-first.tsx";
import { State } from "../../parts/badge.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Markdown } from "../../parts/markdown/markdown.tsx";
import { Moment } from "../../parts/moment.tsx";
import { plural } from "../../parts/numbers.ts";
import { keys, stale, useChanged, useRun, useSteps } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { RawEvents } from "./raw-events.tsx";
import { taskState } from "./task-state.ts";

/** One task: how it stands, what the agent did, and how its callback was delivered. */
export function RunPage({ task }: { task: string }) {
  const run = useRun(task);
  const steps = useSteps(task);
  useChanged(run.data && `${run.data.status} ${run.data.iterations}`, () =>
    stale([...keys.run(task), "steps"]),
  );
  return (
    <>
      <Heading>Task</Heading>
      <Loaded of={run}>
        {(found) => (
          <>
            <dl class="facts">
              <dt>State</dt>
              <dd>
                <State of={taskState(found)} />
              </dd>
              <dt>ID</dt>
              <dd>
                <code>{found.task_id}</code>
              </dd>
              <dt>Chat</dt>
              <dd>
                <Link href={`/projects/${found.project_id}/chats/${found.chat_id}`}>Open chat</Link>
              </dd>
              <dt>Started</dt>
              <dd>
                <Moment at={found.started_at} />
              </dd>
              <dt>Ended</dt>
              <dd>
                <Moment at={found.completed_at} />
              </dd>
              <dt>Work</dt>
              <dd>
                {plural(found.iterations, "turn")}, {plural(found.tool_calls, "tool call")}
              </dd>
              <dt>Callback</dt>
              <dd>
                {found.callback.status}
                {found.callback.url !== null && ` to ${found.callback.url}`}
              </dd>
            </dl>
            {found.error !== null && <p class="notice bad">{found.error}</p>}
            {found.response !== null && <Markdown text={found.response} />}
            {(found.status === "queued" || found.status === "running") && (
              <AskFirst
                label="Stop"
                title="Stop this task?"
                confirm="Stop"
                work={async () => {
                  await workspace.tasks.get(task).cancel();
                  stale(keys.runs);
                }}
              >
                <p>What the agent has done so far is kept.</p>
              </AskFirst>
            )}
            {found.callback.attempts.length > 0 && (
              <>
                <h2>Callback attempts</h2>
                <ol>
                  {found.callback.attempts.map(({ attempt, delivered, status_code, error, at }) => (
                    <li key={attempt}>
                      <Moment at={at} /> {delivered ? "delivered" : (error ?? "refused")}
                      {status_code !== null && ` (${status_code})`}
                    </li>
                  ))}
                </ol>
              </>
            )}
          </>
        )}
      </Loaded>
      <h2>Turns</h2>
      <Loaded of={steps}>
        {({ items, total }) => (
          <>
            {total === 0 && <p class="muted">No turns.</p>}
            {items.map(({ id, step_index, step_data }) => (
              <details key={id} class="tool">
                <summary>
                  Turn {step_index}: {plural(step_data.tool_calls.length, "tool call")}
                </summary>
                <pre tabIndex={0}>{JSON.stringify(step_data, null, 2)}</pre>
              </details>
            ))}
          </>
        )}
      </Loaded>
      <RawEvents task={task} />
    </>
  );
}
