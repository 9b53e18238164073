//! New ids.

use evaluation::judging::{JobId, JobIds};
use kernel::RequestId;
use learning::{Ids, ProfileId};

/// Random ids that nobody else has made.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomIds;

impl Ids for RandomIds {
    #[expect(clippy::expect_used, reason = "a UUID is a valid name")]
    fn request_id(&self) -> RequestId {
        RequestId::new(&uuid::Uuid::new_v4().to_string()).expect("a UUID names a request")
    }

    #[expect(clippy::expect_used, reason = "a UUID is a valid name")]
    fn profile_id(&self) -> ProfileId {
        ProfileId::new(&uuid::Uuid::new_v4().to_string()).expect("a UUID names a profile")
    }
}

impl JobIds for RandomIds {
    #[expect(clippy::expect_used, reason = "a UUID is a valid name")]
    fn job_id(&self) -> JobId {
        JobId::new(&uuid::Uuid::new_v4().to_string()).expect("a UUID names a job")
    }
}
