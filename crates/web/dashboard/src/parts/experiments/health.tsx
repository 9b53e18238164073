/** What speaks against trusting a result, before the result is read. */
import type { HealthFinding } from '../../api/types';
import { sentence } from '../../format/names';
import { Card, Notice } from '../../ui/parts';

const grave = new Set(['critical', 'error']);

export function Health({ findings }: { findings: HealthFinding[] }) {
  return (
    <Card title="Can it be trusted?">
      {findings.length === 0 ? (
        <Notice tone="good">No problem found: the arms have the planned sizes, and the sessions carry their arm.</Notice>
      ) : (
        findings.map((finding) => (
          <Notice key={finding.code} tone={grave.has(finding.severity) ? 'bad' : finding.severity === 'info' ? 'info' : 'warn'}>
            <p>
              <strong>{`${sentence(finding.code)}.`}</strong> {finding.message}
              {finding.code === 'sample_ratio_mismatch' && finding.value !== null && ` (p = ${finding.value.toPrecision(2)})`}
            </p>
          </Notice>
        ))
      )}
    </Card>
  );
}
