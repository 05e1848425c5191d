import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { useCommits } from "./reads.ts";

/** The newest commits of the branch. */
export function Log({ project }: { project: string }) {
  return (
    <Loaded of={useCommits(project)}>
      {({ commits }) => (
        <>
          {commits.length === 0 && <p class="muted">No commits yet.</p>}
          <ul class="list" aria-label="Commits">
            {commits.map(({ sha, short_sha, title, message, author, date }) => (
              <li key={sha}>
                <code>{short_sha}</code>
                <span title={message}>{title}</span>
                <span class="muted small">
                  {author.name} · <Moment at={date} />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Loaded>
  );
}
