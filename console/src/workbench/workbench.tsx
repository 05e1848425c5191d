import { X } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Link, Route, Router, Switch, useLocation } from "wouter-preact";
import * as pages from "../pages.ts";
import { BesideThePage } from "../parts/heading.tsx";
import { Icon } from "../parts/icon.tsx";
import {
  goInPane,
  isOfPane,
  isPaneShown,
  MIN_WIDTH,
  openPane,
  paneWidth,
  placeOf,
  RawLocation,
  setPaneWidth,
  type PaneTab,
} from "../parts/pane.ts";
import "./workbench.css";

const TABS: readonly (readonly [tab: PaneTab, name: string])[] = [
  ["files", "Files"],
  ["changes", "Changes"],
  ["preview", "Preview"],
  ["terminal", "Terminal"],
];
/** What the base of the console is, as routers have it in their addresses. */
const BASE = "/app";
/** Pixels that a key moves the divider. */
const STEP = 24;

/** A chat, and beside it, where there is room, one pane for the project's other pages. */
export function Workbench({ project, children }: { project: string; children: ComponentChildren }) {
  return (
    <div class="workbench filling">
      {children}
      {isPaneShown.value && (
        <>
          <Divider />
          <Pane project={project} />
        </>
      )}
    </div>
  );
}

/** The line between the chat and the pane, which a pointer or the arrow keys move. */
function Divider() {
  const line = useRef<HTMLDivElement>(null);
  const moved = ({ clientX, pointerId }: PointerEvent) => {
    if (!line.current?.hasPointerCapture(pointerId)) return;
    setPaneWidth((line.current.parentElement?.getBoundingClientRect().right ?? 0) - clientX);
  };
  return (
    <div
      ref={line}
      class="divider"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the pane"
      aria-valuenow={paneWidth.value}
      aria-valuemin={MIN_WIDTH}
      tabIndex={0}
      onPointerDown={({ pointerId, currentTarget }) => currentTarget.setPointerCapture(pointerId)}
      onPointerMove={moved}
      onKeyDown={({ key }) => {
        if (key === "ArrowLeft") setPaneWidth(paneWidth.value + STEP);
        if (key === "ArrowRight") setPaneWidth(paneWidth.value - STEP);
      }}
    />
  );
}

function Pane({ project }: { project: string }) {
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
