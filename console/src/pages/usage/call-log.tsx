import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { number } from "../../parts/numbers.ts";
import { Pager } from "../../parts/pager.tsx";
import { useProjects } from "../../service/reads.ts";
import type { Call } from "./daily.ts";
import type { Days } from "./periods.ts";
import { LOGS, useLog } from "./reads.ts";

/** Each model call of a period, newest first. */
export function CallLog({ days }: { days: Days }) {
  const [page, setPage] = useState(1);
  return (
    <section aria-label="Calls">
      <h2>Calls</h2>
      <Loaded of={useLog(days, page)}>
        {({ logs }) => (
          <>
            {logs.length === 0 && <p class="muted">No calls in this period.</p>}
            {logs.length > 0 && (
              <div class="scrolled" tabIndex={0}>
                <table>
                  <thead>
                    <tr>
                      <th scope="col">When</th>
                      <th scope="col">Model</th>
                      <th scope="col">For</th>
                      <th scope="col">Project</th>
                      <th scope="col" class="number">
                        Tokens in, out
                      </th>
                      <th scope="col" class="number">
                        Credits
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {logs.map((call) => (
                      <CallRow key={call.id} call={call} />
                    ))}
                  </tbody>
                </table>
              </div>
            )}
            <Pager page={page} hasMore={logs.length === LOGS} go={setPage} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function CallRow({ call }: { call: Call }) {
  const { data: projects = [] } = useProjects();
  const project = projects.find(({ id }) => id === call.project_id);
  return (
    <tr>
      <td>
        <Moment at={call.created_at} />
      </td>
      <td>{call.model}</td>
      <td>{call.purpose}</td>
      <td>{project && <Link href={`/projects/${project.slug}`}>{project.name}</Link>}</td>
      <td class="number">
        {number(call.tokens_input)}, {number(call.tokens_output)}
        {call.tokens_cache_read > 0 && <div class="muted">{number(call.tokens_cache_read)} cached</div>}
      </td>
      <td class="number">{call.is_byok ? "Own key" : number(call.credits_deducted)}</td>
    </tr>
  );
}
