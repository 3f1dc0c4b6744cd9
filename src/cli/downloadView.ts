import { MultiBar } from 'cli-progress';
import type { DatasetSource, DownloadFragment } from '../client/generated/operations.js';
import { importSource as fetchSource } from '../client/importSource.js';
import type { ImportAnswer } from '../client/request.js';
import type { CliContext } from './context.js';
import type { Output } from './output.js';
import { clean } from './text.js';
import { INTERRUPTED } from './watchRun.js';

const BAR_WIDTH = 30;

/** Lets the service fetch an official file, and shows how far it is until the dataset is there. */
export async function importSource(
  { settings, output }: CliContext,
  source: DatasetSource,
  name?: string,
): Promise<ImportAnswer> {
  const view = output.terminal ? barView() : noteView(output);
  const interrupt = () => {
    view.stop();
    output.note('The service goes on with it. The same command shows how far it is.');
    process.exit(INTERRUPTED);
  };
  process.once('SIGINT', interrupt);
  try {
    return await fetchSource(settings, { source, name }, view.show);
  } finally {
    process.removeListener('SIGINT', interrupt);
    view.stop();
  }
}

interface DownloadView {
  show(download: DownloadFragment): void;
  stop(): void;
}

function barView(): DownloadView {
  let text = 'Waiting for a worker …';
  const bars = new MultiBar({
    stream: process.stdout,
    format: () => text,
    clearOnComplete: true,
    gracefulExit: false,
    forceRedraw: true,
  });
  bars.create(1, 0);
  return {
    show: (download) => {
      text = downloadText(download);
    },
    stop: () => bars.stop(),
  };
}

/** A line for each tenth, on stderr, so that a pipe carries the result only. */
function noteView(output: Output): DownloadView {
  let last = '';
  return {
    show: (download) => {
      const step = `${download.status} ${Math.floor((10 * download.bytesDone) / download.bytesTotal)}`;
      if (step !== last) output.note(downloadText(download, 0));
      last = step;
    },
    stop: () => {},
  };
}

/** For example `[███   ] 23 of 60 MB`. */
export function downloadText(download: DownloadFragment, barWidth = BAR_WIDTH): string {
  const { status, bytesDone, bytesTotal, message } = download;
  if (status === 'QUEUED') return 'Waiting for a worker …';
  if (status === 'IMPORTING') return 'All bytes are here and right; importing …';
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(bytesTotal < 1e7 ? 1 : 0);
  const filled = Math.round((barWidth * bytesDone) / bytesTotal);
  const bar = barWidth === 0 ? '' : `[${'█'.repeat(filled)}${' '.repeat(barWidth - filled)}] `;
  const note = message === null ? '' : `  ${clean(message)}`;
  return `${bar}${megabytes(bytesDone)} of ${megabytes(bytesTotal)} MB${note}`;
}
