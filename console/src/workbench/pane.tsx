import { X } from "lucide-preact";
import { Link, Route, Router, Switch, useLocation } from "wouter-preact";
import * as pages from "../pages.ts";
import { BesideThePage } from "../parts/heading.tsx";
import { Icon } from "../parts/icon.tsx";
import {
  goInPane,
  isOfPane,
  openPane,
  paneWidth,
  placeOf,
  RawLocation,
  type PaneTab,
} from "../parts/pane.ts";

const TABS: readonly (readonly [tab: PaneTab, name: string])[] = [
  ["files", "Files"],
  ["changes", "Changes"],
  ["preview", "Preview"],
  ["terminal", "Terminal"],
];
/** What the base of the console is, as routers have it in their addresses. */
const BASE = "/app";

/** Pages of a project in a place of their own, with its own address. */
export function Pane({ project }: { project: string }) {
  const [, leave] = useLocation();
  const place = placeOf(project);
  /** Links to what the pane shows stay in it; others lead the page. */
  const usePlace = (): [string, (to: string) => void] => [
    `${BASE}${placeOf(project)}`,
    (to) => {
      const address = to.startsWith(BASE) ? to.slice(BASE.length) : to;
      if (isOfPane(project, address)) goInPane(project, address);
      else leave(address);
    },
  ];
  const at = `/projects/${project}`;
  return (
    <aside class="pane" aria-label="Workbench" style={{ width: `${paneWidth.value}px` }}>
      <Router hook={usePlace} base={BASE}>
        <BesideThePage.Provider value={true}>
          <RawLocation.Provider value={() => `${BASE}${placeOf(project)}`}>
            <nav class="tabs" aria-label="Workbench">
              {TABS.map(([tab, name]) => {
                const isHere = place === `${at}/${tab}` || place.startsWith(`${at}/${tab}/`);
                return (
                  <Link
                    key={tab}
                    href={`${at}/${tab}`}
                    {...(isHere && { class: "here", "aria-current": "page" as const })}
                  >
                    {name}
                  </Link>
                );
              })}
              <span class="spring" />
              <button
                type="button"
                class="quiet icon-button"
                aria-label="Close the pane"
                onClick={() => openPane(false)}
              >
                <Icon of={X} />
              </button>
            </nav>
            <div class="pane-page">
              <Switch>
                <Route path={`${at}/changes/*?`}>
                  <pages.ChangesPage project={project} />
                </Route>
                <Route path={`${at}/preview`}>
                  <pages.PreviewPage project={project} />
                </Route>
                <Route path={`${at}/terminal`}>
                  <pages.TerminalPage project={project} />
                </Route>
                <Route>
                  <pages.FilesPage project={project} />
                </Route>
              </Switch>
            </div>
          </RawLocation.Provider>
        </BesideThePage.Provider>
      </Router>
    </aside>
  );
}
