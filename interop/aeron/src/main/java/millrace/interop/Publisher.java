package millrace.interop;

import io.aeron.Aeron;
import io.aeron.Publication;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;

/** Publishes numbered messages: `directory channel streamId count lengths exclusive`. Prints `published <count>`. */
public final class Publisher
{
    public static void main(final String[] args) throws Exception
    {
        final String channel = args[1];
        final int streamId = Integer.parseInt(args[2]);
        final long count = Long.parseLong(args[3]);
        final int[] lengths = Messages.lengths(args[4]);
        final boolean isExclusive = Boolean.parseBoolean(args[5]);
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[1024 * 1024]);
        final YieldingIdleStrategy idle = new YieldingIdleStrategy();

        try (Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(args[0]));
            Publication publication = isExclusive ?
                aeron.addExclusivePublication(channel, streamId) : aeron.addPublication(channel, streamId))
        {
            for (long number = 0; number < count; number++)
            {
                final int length = Messages.write(buffer, 0, number, lengths);
                long position;
                while ((position = publication.offer(buffer, 0, length)) < 0)
                {
                    if (Publication.CLOSED == position || Publication.MAX_POSITION_EXCEEDED == position)
                    {
                        throw new IllegalStateException("offer answered " + position);
                    }
                    idle.idle();
                }
            }
            System.out.println("published " + count);
        }
    }
}
