import type { TaskEvent } from "@agent-workspace/client";
import { useEffect, useState } from "preact/hooks";
import { textOf } from "../../parts/form-text.ts";
import { plural } from "../../parts/numbers.ts";
import { Refused } from "../../parts/refused.tsx";
import { workspace } from "../../service/workspace.ts";

/** As many as are shown: the newest ones. */
const SHOWN = 500;
/** Milliseconds between two paints while events come. */
const PAINT_MS = 200;

/** The events of a task as they are stored, from any id on. They are followed until the page is left. */
export function RawEvents({ task }: { task: string }) {
  const [after, setAfter] = useState<number>();
  return (
    <section aria-labelledby="events">
      <h2 id="events">Events</h2>
      <form
        class="filter"
        onSubmit={(event) => {
          event.preventDefault();
          setAfter(Number(textOf(new FormData(event.currentTarget), "after")));
        }}
      >
        <div class="field">
          <label for="after">After event ID</label>
          <input id="after" name="after" type="number" min={0} step={1} required defaultValue="0" />
        </div>
        <button type="submit">Show</button>
        {after !== undefined && (
          <button type="button" onClick={() => setAfter(undefined)}>
            Close
          </button>
        )}
      </form>
      {after !== undefined && <Followed key={after} task={task} after={after} />}
    </section>
  );
}

interface Following {
  events: readonly TaskEvent[];
  isOver: boolean;
  error: unknown;
}

function Followed({ task, after }: { task: string; after: number }) {
  const { events, isOver, error } = useEvents(task, after);
  return (
    <>
      <p class="muted" role="status">
        {isOver
          ? `${plural(events.length, "event")}, complete.`
          : `${plural(events.length, "event")} so far.`}
        {events.length === SHOWN && ` Only the newest ${SHOWN} are shown.`}
      </p>
      {error !== undefined && <Refused error={error} />}
      <ol class="events">
        {events.map((event, at) => (
          <li key={`${event.id} ${at}`}>
            <details class="tool">
              <summary>
                <code>{event.id}</code> {event.type}
              </summary>
              <pre tabIndex={0}>{JSON.stringify(event, null, 2)}</pre>
            </details>
          </li>
        ))}
      </ol>
    </>
  );
}

function useEvents(task: string, after: number): Following {
  const [following, setFollowing] = useState<Following>({ events: [], isOver: false, error: undefined });
  useEffect(() => {
    const control = new AbortController();
    let events: TaskEvent[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (isOver: boolean, error?: unknown) => {
      clearTimeout(timer);
      timer = undefined;
      if (!control.signal.aborted) setFollowing({ events, isOver, error });
    };
    const follow = async () => {
      for await (const event of workspace.tasks.get(task).events({ after, signal: control.signal })) {
        events = [...events, event].slice(-SHOWN);
        timer ??= setTimeout(show, PAINT_MS, false);
      }
    };
    follow().then(
      () => show(true),
      (error: unknown) => show(true, error),
    );
    return () => {
      control.abort();
      clearTimeout(timer);
    };
  }, [task, after]);
  return following;
}
